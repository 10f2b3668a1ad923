import { idInInputs, inputsOf } from "../definition/kind-values.js";
import type { Properties } from "../definition/properties.js";
import type { Fix } from "../diagnostics/diagnostic.js";
import { factOf, fixesOf, ResourceError } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";

/*
 * The ways on where something does not exist or has failed: what a creation needs, or what the state still has.
 */

/** A creation or an adoption is refused, because something that it needs does not exist. */
export function missingDependencyError<I extends object, R extends object>(
  operation: Operation<I, R>,
  values: Properties,
  adopt: string | undefined,
  error: unknown,
): ResourceError {
  const { kind } = operation;
  if (adopt !== undefined) {
    return new ResourceError({
      code: "ADOPT_NOT_FOUND",
      summary: `${operation.describe(adopt)} not adopted: ${factOf(error)}`,
      cause: "nothing was done.",
      fixes: [
        {
          when: "if it is deleted",
          line: "remove `adopt` from the program, then pulumi up creates a new one",
        },
      ],
    });
  }
  const inputs = inputsOf(kind, values);
  const owner = kind.owner && (kind.action?.target(inputs) ?? idInInputs(kind, values));
  return new ResourceError({
    code: "CREATE_FAILED",
    summary: `${operation.describe()} not created: ${factOf(error)}`,
    fixes:
      owner === undefined
        ? fixesOf(error)
        : [{ when: `if the ${kind.owner} is deleted`, line: recoverFromAbsence(operation, owner).line }],
  });
}

/** Returns the fix after something in the state was deleted at the service. */
export function recoverFromAbsence<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  urn?: string,
): Fix {
  if (operation.capabilities.read !== "none") return { line: "pulumi refresh, then pulumi up" };
  const deleted = urnOfOwner(operation, id, urn) || urn || "<its URN>";
  return { line: `pulumi state delete --target-dependents '${deleted}', then pulumi up` };
}

/** The URN of the resource that owns this one, or of this one where it has no owner. */
function urnOfOwner<I extends object, R extends object>(
  { kind, session }: Operation<I, R>,
  id: string,
  urn: string | undefined,
): string | undefined {
  return kind.owner === undefined ? urn : session.claims.urnOf(kind.owner, id);
}

/** A resource that has failed after it worked may hold data, so only the user can decide to replace it. */
export function repairFixes<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
): readonly Fix[] {
  const { owner } = operation.kind;
  const urn = urnOfOwner(operation, id, operation.urn) || "<its URN>";
  const what = owner ? `the ${owner}` : "it";
  return [
    { when: "to keep its data", line: `repair ${what} at the service, then pulumi up` },
    { when: `to replace ${what}, without its data`, line: `pulumi up --replace '${urn}'` },
  ];
}
