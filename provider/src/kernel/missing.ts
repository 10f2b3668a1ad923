import { messageOf, ResourceError } from "./errors.js";
import { inputsOf } from "./kind.js";
import { describe } from "./memory.js";
import type { Scope } from "./scope.js";
import type { Values } from "./values.js";

/*
 * What to do where something does not exist: what a creation needs, or what the state still has.
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
  { kind, session }: Scope<I, R>,
  id: string,
  urn?: string,
): string {
  const { list, probe } = kind.documented ?? {};
  if (session.settings.api === "conventional" || list || probe)
    return "run `pulumi refresh`, then `pulumi up`.";
  const deleted = (kind.owner && session.names.urnOf(kind.owner, id)) ?? urn ?? "<its URN>";
  return (
    `run \`pulumi state delete --target-dependents '${deleted}'\`, then \`pulumi up\`: with cloudservices:api documented, ` +
    "no refresh sees it."
  );
}
