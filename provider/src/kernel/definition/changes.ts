import type { Settings } from "../settings/settings.js";
import { type Capabilities, capabilitiesOf } from "./capabilities.js";
import type { Input, Kind, OnChange } from "./kind.js";
import { fieldsOf, valueIn } from "./kind-values.js";
import { equal, isPresent, type Properties } from "./properties.js";

/** Returns whether two values of a field mean the same to the service. */
export function isEquivalent(input: Input<unknown, never>, a: unknown, b: unknown): boolean {
  if (equal(a, b)) return true;
  if (input.optional && input.default === undefined && isNothing(a) && isNothing(b)) return true;
  if (!input.isEquivalent || !input.schema.safeParse(a).success || !input.schema.safeParse(b).success)
    return false;
  return input.isEquivalent(a, b);
}

/** Returns whether the held value and the service's value can both be true: either may be more precise. */
export const isConsistent = (input: Input<unknown, never>, held: unknown, remote: unknown): boolean =>
  isEquivalent(input, held, remote) || isEquivalent(input, remote, held);

/** An empty list means the same as no list. */
const isNothing = (value: unknown): boolean =>
  !isPresent(value) || (Array.isArray(value) && value.length === 0);

/** Returns the fields whose value has changed. */
export function changedFields<I extends object, R extends object>(
  kind: Kind<I, R>,
  before: Properties,
  after: Properties,
): [string, Input<unknown, R>][] {
  return fieldsOf(kind).filter(([field, input]) => !isEquivalent(input, before[field], after[field]));
}

/** Returns the fields that the program sets and the service shows differently. */
export function disagreements<I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Properties,
  remote: R,
): string[] {
  return fieldsOf(kind)
    .filter(([field, input]) => {
      const shown = valueIn(input, remote);
      return isPresent(values[field]) && isPresent(shown) && !isConsistent(input, values[field], shown);
    })
    .map(([field]) => field);
}

/** Returns whether the input is one to update in place, and no allowed request does that. */
export const lacksUpdate = <I extends object, R extends object>(
  input: Input<unknown, never>,
  { canUpdate }: Capabilities<I, R>,
): boolean => input.onChange === "update" && !canUpdate(input);

/** Returns the effect of changing an input, given the settings and the other inputs. */
export function effectOf<I extends object, R extends object>(
  kind: Kind<I, R>,
  input: Input<unknown, R>,
  inputs: Properties,
  settings: Settings,
): OnChange {
  if (input.replaceIf?.(inputs)) return "replace";
  // The abandoned resource keeps its name, so a successor with the same unique name could never be created.
  const replaceable = settings.undeletable === "abandon" && !kind.naming?.unique;
  return replaceable && lacksUpdate(input, capabilitiesOf(kind, settings)) ? "replace" : input.onChange;
}

/** Returns the changes that set a value: no request can express the removal of one. */
export function given<C extends object>(changes: C): { [F in keyof C]?: NonNullable<C[F]> } {
  const kept: { [F in keyof C]?: NonNullable<C[F]> } = {};
  for (const field in changes) {
    const value = changes[field];
    if (value !== undefined && value !== null) kept[field] = value;
  }
  return kept;
}
