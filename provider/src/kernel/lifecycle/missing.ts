import { inputsOf } from "../definition/kind.js";
import { type Properties, stringOf, URN_KEY } from "../definition/properties.js";
import { messageOf, ResourceError } from "../diagnostics/errors.js";
import type { Scope } from "../stack/scope.js";
import { describeResource } from "../state/describe.js";

/*
 * What to do where something does not exist or has failed: what a creation needs, or what the state still has.
 */

/** A creation or an adoption is refused, because something that it needs does not exist. */
export function missingDependencyError<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Properties,
  adopt: string | undefined,
  error: unknown,
): ResourceError {
  const { kind } = scope;
  if (adopt !== undefined) {
    return new ResourceError(
      `${describeResource(kind, values, adopt)} could not be adopted: ${messageOf(error)} Nothing was done. If it is deleted, remove ` +
        "`adopt` from the program and run `pulumi up` again, which creates a new one.",
    );
  }
  const inputs = inputsOf(kind, values);
  const owner = kind.owner && (kind.action?.target(inputs) ?? kind.idFrom?.(inputs));
  const way =
    owner === undefined ? "" : ` If the ${kind.owner} is deleted, ${recoverFromAbsence(scope, owner)}`;
  return new ResourceError(
    `${describeResource(kind, values)} could not be created: ${messageOf(error)}${way}`,
  );
}

/** How a program goes on after what the state has was deleted: a refresh shows it, where the service can be asked. */
export function recoverFromAbsence<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  urn?: string,
): string {
  const { kind, session } = scope;
  const { list, probe } = kind.documented ?? {};
  if (session.settings.api === "conventional" || list || probe)
    return "run `pulumi refresh`, then `pulumi up`.";
  const deleted = urnOfOwner(scope, id, urn) ?? urn ?? "<its URN>";
  return (
    `run \`pulumi state delete --target-dependents '${deleted}'\`, then \`pulumi up\`: with cloudservices:api documented, ` +
    "no refresh sees it."
  );
}

/** The resource to which one belongs, where the program has it; what belongs to none is itself. */
function urnOfOwner<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  id: string,
  urn: string | undefined,
): string | undefined {
  return kind.owner === undefined ? urn : session.names.urnOf(kind.owner, id);
}

/** What has failed after it has worked may hold data, so only the user can decide to replace it. */
export function repairAdvice<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  values: Properties,
): string {
  const { owner } = scope.kind;
  const replaced = urnOfOwner(scope, id, stringOf(values, URN_KEY)) ?? "<its URN>";
  return (
    `${owner ? `The ${owner}` : "It stays in the state and"} is not replaced by itself, because it may hold data. Repair it at the service and run ` +
    `\`pulumi up\` again, or delete it for a new one with \`pulumi up --replace '${replaced}'\`.`
  );
}
