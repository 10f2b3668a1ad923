import { FailedStateError } from "cloudservices-sdk";
import type { Properties } from "../definition/properties.js";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.js";
import { isAmbiguous, PartialFailure, ResourceError } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";
import { outputsOf, withCommonInputs } from "../state/outputs.js";
import { recoverFromAbsence, repairFixes } from "./missing.js";
import { canAdopt, NO_ID, operationError } from "./remote.js";
import type { UpdatePlan } from "./update-plan.js";
import type { Progress } from "./wait.js";

/*
 * The errors of an update that fails: what was applied, what the state keeps, and the ways on.
 */

/** Returns the failure of an update whose resource still exists. Without any effect, it is an ordinary error. */
export function failedUpdate<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  olds: Properties,
  { before, fields, values, substitute, isUnfinished }: UpdatePlan,
  progress: Progress,
  error: unknown,
): ResourceError {
  const { kind, session } = operation;
  const { applied } = progress;
  const resource = operation.describe(id);
  const isUnsure = isAmbiguous(error);
  const uncertain = isUnsure ? fields.filter((field) => !applied.has(field)) : [];
  // A kind that converges may be in an intermediate state (a server powered off), which the next run must repair.
  const isUntouched = applied.size === 0 && !isUnfinished && !kind.converge && uncertain.length === 0;
  if (isUntouched) return operationError(resource, "updated", error);
  const held = { ...before, ...substitute };
  for (const field of applied) held[field] = values[field];
  const outputs = outputsOf(kind, session.settings, withCommonInputs(held, values), undefined, olds, {
    ready: false,
    restore: progress.restore,
    ...(uncertain.length > 0 ? { uncertain } : {}),
  });
  return new PartialFailure(
    {
      ...outcomeOf(resource, isUnsure, applied),
      cause: progress.explain(error),
      fixes: fixesAfterFailure(operation, id, { error, progress, uncertain }),
    },
    id,
    outputs,
  );
}

function fixesAfterFailure<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  { error, progress, uncertain }: { error: unknown; progress: Progress; uncertain: readonly string[] },
): readonly Fix[] {
  if (error instanceof FailedStateError) return repairFixes(operation, id);
  if (uncertain.length > 0 && progress.note === "") return [{ when: "to send it again", line: "pulumi up" }];
  return progress.fixes(error);
}

function outcomeOf(
  resource: string,
  isUnknown: boolean,
  applied: ReadonlySet<string>,
): Pick<Diagnostic, "code" | "summary"> {
  if (isUnknown) return { code: "UPDATE_OUTCOME_UNKNOWN", summary: `${resource} may have been updated` };
  if (applied.size > 0)
    return {
      code: "UPDATE_INCOMPLETE",
      summary: `${resource} was updated in part (${[...applied].join(", ")})`,
    };
  return { code: "UPDATE_FAILED", summary: `${resource} was not updated` };
}

export const expiredError = (resource: string): ResourceError =>
  new ResourceError({
    code: "EXPIRED",
    summary: `${resource} has expired, and the service no longer has it`,
    cause: "nothing was updated.",
    fixes: [
      { when: "for a new one", line: "a later expiry in the program, then pulumi refresh and pulumi up" },
      { when: "if it is no longer needed", line: "remove it from the program" },
    ],
  });

export const deletedError = <I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
): ResourceError =>
  new ResourceError({
    code: "DELETED_AT_SERVICE",
    summary: `${operation.describe(id)} no longer exists at the service`,
    cause: "nothing was updated.",
    fixes: [recoverFromAbsence(operation, id, operation.urn)],
  });

/** Returns the error for a resource whose creation returned no id. */
export function missingIdError<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
): ResourceError {
  const urn = operation.urn || "<its URN>";
  return new ResourceError({
    code: "ID_UNKNOWN",
    summary: `${operation.describe(id)} was not updated: ${NO_ID}`,
    fixes: [
      {
        when: "to create it again",
        line: `delete it at the service, pulumi state delete '${urn}', then pulumi up`,
      },
      ...(canAdopt(operation)
        ? [{ when: "to keep it", line: `pulumi state delete '${urn}', then adopt: "<its id>"` }]
        : []),
    ],
  });
}
