import { messageOf, ResourceError } from "./errors.js";
import { inputsOf } from "./kind.js";
import { describe } from "./memory.js";
import type { Scope } from "./scope.js";
import { stringOf, URN_KEY, type Values } from "./values.js";

/*
 * What to do where something does not exist or has failed: what a creation needs, or what the state still has.
 */

/** A creation or an adoption is refused, because something that it needs does not exist. */
export function withoutResource<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
  adopt: string | undefined,
  error: unknown,
): ResourceError {
  const { kind } = scope;
  if (adopt !== undefined) {
    return new ResourceError(
      `${describe(kind, values, adopt)} could not be adopted: ${messageOf(error)} Nothing was done. If it is deleted, remove ` +
        "`adopt` from the program and run `pulumi up` again, which creates a new one.",
    );
  }
  const inputs = inputsOf(kind, values);
  const owner = kind.owner && (kind.occurrence?.target(inputs) ?? kind.idFrom?.(inputs));
  const way = owner === undefined ? "" : ` If the ${kind.owner} is deleted, ${afterAbsence(scope, owner)}`;
  return new ResourceError(`${describe(kind, values)} could not be created: ${messageOf(error)}${way}`);
}

/** How a program goes on after what the state has was deleted: a refresh shows it, where the service can be asked. */
export function afterAbsence<I extends object, R extends object>(
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
export function repair<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  values: Values,
): string {
  const { owner } = scope.kind;
  const replaced = urnOfOwner(scope, id, stringOf(values, URN_KEY)) ?? "<its URN>";
  return (
    `${owner ? `The ${owner}` : "It stays in the state and"} is not replaced by itself, because it may hold data. Repair it at the service and run ` +
    `\`pulumi up\` again, or delete it for a new one with \`pulumi up --replace '${replaced}'\`.`
  );
}
