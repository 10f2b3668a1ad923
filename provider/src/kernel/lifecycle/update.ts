import { FailedStateError } from "cloudservices-sdk";
import { effectOf } from "../definition/changes.js";
import { fieldsOf, inputsOf } from "../definition/kind.js";
import type { Properties } from "../definition/properties.js";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.js";
import { PartialFailure, ResourceError } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";
import { guard, keyChangedError, sameKey } from "../state/guard.js";
import { changedInputs } from "../state/normalised.js";
import { outputsOf, withCommonInputs } from "../state/outputs.js";
import { appliedInputs } from "../state/resource-state.js";
import { isProvenAbsent, serviceTimeOf } from "./absence.js";
import { recoverFromAbsence, repairFixes } from "./missing.js";
import { keepOnFailure } from "./partial-failure.js";
import { canAdopt, isAmbiguous, isMissingId, NO_ID, operationError, requireSameId } from "./remote.js";
import { changesOf, finishResource, Progress, updateContext, waitFor } from "./wait.js";

export async function updateResource<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  olds: Properties,
  news: Properties,
): Promise<Properties> {
  const { kind, session } = operation;
  const resource = operation.describe(id);
  const memory = guard(session.settings, resource, olds);
  session.claims.markManaged(kind.name, id);
  const before = appliedInputs(kind, olds);
  const changed = new Map(changedInputs(kind, olds, news));
  const fields = fieldsOf(kind)
    .filter(([field]) => changed.has(field) || memory?.uncertain?.includes(field))
    .filter(([, input]) => effectOf(kind, input, news, session.settings) === "update")
    .map(([field]) => field);
  // Another resource had the requested name. This one keeps its substitute until the program requests another name.
  const name = kind.naming?.field ?? "";
  const substitute = memory?.asked === undefined ? {} : { [name]: olds[name] };
  const values = news[name] === memory?.asked ? { ...news, ...substitute } : news;
  if (fields.length === 0 && memory?.ready !== false) {
    return outputsOf(kind, session.settings, values, undefined, olds, { ready: true });
  }

  if (isMissingId(id)) {
    const urn = operation.urn || "<its URN>";
    throw new ResourceError({
      code: "ID_UNKNOWN",
      summary: `${resource} was not updated: ${NO_ID}`,
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
  const progress = new Progress(memory?.restore);
  const { applied } = progress;
  let remote: R | undefined;
  try {
    if (fields.length > 0) remote = await send(operation, id, { before, fields, values, progress });
    else if (operation.capabilities.read === "direct")
      remote = requireSameId(kind, id, await kind.read(session.api, id));
  } catch (error) {
    if (isProvenAbsent(error)) {
      if (kind.expired?.(olds, serviceTimeOf(error, session.clock))) throw expiredError(resource);
      if (!sameKey(session.settings, memory)) throw keyChangedError(resource);
      // The target is deleted, so there is nothing to wait for.
      if (kind.action) return outputsOf(kind, session.settings, values, undefined, olds, { ready: true });
      throw new ResourceError({
        code: "DELETED_AT_SERVICE",
        summary: `${resource} no longer exists at the service`,
        cause: "nothing was updated.",
        fixes: [recoverFromAbsence(operation, id, operation.urn)],
      });
    }
    // A kind that converges may be in an intermediate state (a server powered off), which the next run must repair.
    const isUnsure = isAmbiguous(error);
    const uncertain = isUnsure ? fields.filter((field) => !applied.has(field)) : [];
    const untouched =
      applied.size === 0 && memory?.ready !== false && !kind.converge && uncertain.length === 0;
    if (untouched) throw operationError(resource, "updated", error);
    const holds = { ...before, ...substitute };
    for (const field of applied) holds[field] = values[field];
    const outputs = outputsOf(kind, session.settings, withCommonInputs(holds, values), undefined, olds, {
      ready: false,
      restore: progress.restore,
      ...(uncertain.length > 0 ? { uncertain } : {}),
    });
    throw new PartialFailure(
      {
        ...outcomeOf(resource, isUnsure, applied),
        cause: progress.explain(error),
        fixes: fixesAfterFailure(operation, id, { error, progress, uncertain }),
      },
      id,
      outputs,
    );
  }
  operation.scope.reader.forget(id);
  // Without such a change there is nothing to converge.
  const converges = memory?.ready === false || fields.some((field) => changed.get(field)?.converges);
  const existing = { id, values, previous: olds, remote };
  const work = { ...existing, converges, progress, sent: fields };
  return keepOnFailure(operation, { ...existing, found: { sent: fields } }, () =>
    finishResource(operation, work, "update"),
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

const expiredError = (resource: string): ResourceError =>
  new ResourceError({
    code: "EXPIRED",
    summary: `${resource} has expired, and the service no longer has it`,
    cause: "nothing was updated.",
    fixes: [
      { when: "for a new one", line: "a later expiry in the program, then pulumi refresh and pulumi up" },
      { when: "if it is no longer needed", line: "remove it from the program" },
    ],
  });

async function send<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  change: { before: Properties; fields: string[]; values: Properties; progress: Progress },
): Promise<R | undefined> {
  const { kind, session } = operation;
  const after = inputsOf(kind, change.values);
  const context = updateContext<I, R>(
    { before: inputsOf(kind, { ...change.values, ...change.before }), after },
    change.progress,
    waitFor(operation, id, "update", () => undefined),
  );
  return operation.capabilities.update?.(session.api, id, changesOf(kind, change.fields, after), context);
}
