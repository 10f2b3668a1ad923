import { fieldsOf, type Input, type Kind, type OnChange, shown } from "./kind.js";
import type { Settings } from "./settings.js";
import { equal, isPresent, type Values } from "./values.js";

/** Whether two values of a field mean the same to the service. */
export function same(input: Input<unknown, never>, a: unknown, b: unknown): boolean {
  if (equal(a, b)) return true;
  if (input.optional && input.default === undefined && isNothing(a) && isNothing(b)) return true;
  if (!input.same || !input.schema.safeParse(a).success || !input.schema.safeParse(b).success) return false;
  return input.same(a, b);
}

/** Whether what is held and what the service says can both be true: one of them may say more than the other. */
export const agree = (input: Input<unknown, never>, held: unknown, said: unknown): boolean =>
  same(input, held, said) || same(input, said, held);

/** An empty list says no more than none at all. */
const isNothing = (value: unknown): boolean =>
  !isPresent(value) || (Array.isArray(value) && value.length === 0);

/** The fields whose value is no longer the same. */
export function changedFields<I extends object, R extends object>(
  kind: Kind<I, R>,
  before: Values,
  after: Values,
): [string, Input<unknown, R>][] {
  return fieldsOf(kind).filter(([field, input]) => !same(input, before[field], after[field]));
}

/** The fields that the program gives and the service shows otherwise. */
export function disagreements<I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Values,
  remote: R,
): string[] {
  return fieldsOf(kind)
    .filter(([field, input]) => {
      const said = shown(input, remote);
      return isPresent(values[field]) && isPresent(said) && !agree(input, values[field], said);
    })
    .map(([field]) => field);
}

/** A change in place that no request of the specification brings about, where only those are sent. */
export const isUnservable = (input: Input<unknown, never>, settings: Settings): boolean =>
  settings.api === "documented" && input.onChange === "update" && !input.documentedChange;

/** What a change of an input leads to, under these settings and beside these other inputs. */
export function effect<I extends object, R extends object>(
  kind: Kind<I, R>,
  input: Input<unknown, R>,
  inputs: Values,
  settings: Settings,
): OnChange {
  if (input.replaceIf?.(inputs)) return "replace";
  // The abandoned resource keeps its name, so a new one of a unique name could never be made.
  const replaceable = settings.undeletable === "abandon" && !kind.naming?.unique;
  return replaceable && isUnservable(input, settings) ? "replace" : input.onChange;
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
