import { changedFields, isConsistent, isEquivalent } from "../definition/changes.js";
import type { Input, Kind } from "../definition/kind.js";
import { isPresent, type Properties } from "../definition/properties.js";
import { appliedInputs, type Normalised, type ResourceState, readState } from "./resource-state.js";

/*
 * A service may store another value than the one it receives: a lower-case slug, a clamped lifetime, the name behind an
 * alias. The state keeps the pair, and both values are equivalent from then on.
 */

const isEither = (input: Input<unknown, never>, pair: Normalised, value: unknown): boolean =>
  isPresent(value) && (isConsistent(input, pair.sent, value) || isConsistent(input, pair.stored, value));

export interface ResponseValue {
  readonly held: unknown;
  readonly returned: unknown;
  /** The output before the operation. */
  readonly previous: unknown;
  readonly pair: Normalised | undefined;
  /** The requests of this operation carried the held value. */
  readonly isSent: boolean;
}

/** Returns the value of a field after a response, and the pair to keep in the state. */
export function reconcile(
  input: Input<unknown, never>,
  { held, returned, previous, pair, isSent }: ResponseValue,
): { readonly value: unknown; readonly pair: Normalised | undefined } {
  if (isConsistent(input, held, returned)) return { value: held, pair };
  const isKnown = pair !== undefined && isConsistent(input, pair.stored, returned);
  // The service ignored the new value, and the old one is no equivalent spelling: the next run sends the change again.
  const isIgnored = !isKnown && isPresent(previous) && isConsistent(input, previous, returned);
  if (isSent && !input.afterCreation && !isIgnored)
    return { value: held, pair: { sent: held, stored: returned } };
  if (pair && isEither(input, pair, returned))
    return { value: isEither(input, pair, held) ? held : pair.sent, pair };
  return { value: returned, pair };
}

/** Returns the fields whose value in the program differs from the resource. */
export function changedInputs<I extends object, R extends object>(
  kind: Kind<I, R>,
  outputs: Properties,
  news: Properties,
): [string, Input<unknown, R>][] {
  const memory = readState(outputs);
  const held = appliedInputs(kind, outputs);
  return changedFields(kind, held, news).filter(([field, input]) => {
    const pair = memory?.normalised?.[field];
    if (pair && isEither(input, pair, held[field]) && isEither(input, pair, news[field])) return false;
    return !isChosenValue(memory, field, input, outputs[field], news[field]);
  });
}

/** Returns whether the program now sets the value that the service had chosen. */
const isChosenValue = (
  memory: ResourceState | undefined,
  field: string,
  input: Input<unknown, never>,
  chosen: unknown,
  value: unknown,
): boolean =>
  memory !== undefined &&
  !memory.given.includes(field) &&
  isPresent(chosen) &&
  isPresent(value) &&
  isEquivalent(input, chosen, value);
