import type { Settings } from "../settings/settings.js";
import { fieldsOf, type Input, type Kind, type OnChange, valueIn } from "./kind.js";
import { equal, isPresent, type Properties } from "./properties.js";

/** Whether two values of a field mean the same to the service. */
export function isEquivalent(input: Input<unknown, never>, a: unknown, b: unknown): boolean {
  if (equal(a, b)) return true;
  if (input.optional && input.default === undefined && isNothing(a) && isNothing(b)) return true;
  if (!input.isEquivalent || !input.schema.safeParse(a).success || !input.schema.safeParse(b).success)
    return false;
  return input.isEquivalent(a, b);
}

/** Whether what is held and what the service says can both be true: one of them may say more than the other. */
export const isConsistent = (input: Input<unknown, never>, held: unknown, said: unknown): boolean =>
  isEquivalent(input, held, said) || isEquivalent(input, said, held);

/** An empty list says no more than none at all. */
const isNothing = (value: unknown): boolean =>
  !isPresent(value) || (Array.isArray(value) && value.length === 0);

/** The fields whose value is no longer the same. */
export function changedFields<I extends object, R extends object>(
  kind: Kind<I, R>,
  before: Properties,
  after: Properties,
): [string, Input<unknown, R>][] {
  return fieldsOf(kind).filter(([field, input]) => !isEquivalent(input, before[field], after[field]));
}

/** The fields that the program gives and the service shows otherwise. */
export function disagreements<I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Properties,
  remote: R,
): string[] {
  return fieldsOf(kind)
    .filter(([field, input]) => {
      const said = valueIn(input, remote);
      return isPresent(values[field]) && isPresent(said) && !isConsistent(input, values[field], said);
    })
    .map(([field]) => field);
}

/** A change in place that no request of the specification brings about, where only those are sent. */
export const isUndocumentedChange = (input: Input<unknown, never>, settings: Settings): boolean =>
  settings.api === "documented" && input.onChange === "update" && !input.documentedChange;

/** What a change of an input leads to, under these settings and beside these other inputs. */
export function effectOf<I extends object, R extends object>(
  kind: Kind<I, R>,
  input: Input<unknown, R>,
  inputs: Properties,
  settings: Settings,
): OnChange {
  if (input.replaceIf?.(inputs)) return "replace";
  // The abandoned resource keeps its name, so a new one of a unique name could never be made.
  const replaceable = settings.undeletable === "abandon" && !kind.naming?.unique;
  return replaceable && isUndocumentedChange(input, settings) ? "replace" : input.onChange;
}

/** Of changes, those that give a value: what was taken away is nothing that a request could say. */
export function given<C extends object>(changes: C): { [F in keyof C]?: NonNullable<C[F]> } {
  const kept: { [F in keyof C]?: NonNullable<C[F]> } = {};
  for (const field in changes) {
    const value = changes[field];
    if (value !== undefined && value !== null) kept[field] = value;
  }
  return kept;
}
