import { changedFields, isConsistent, isEquivalent } from "../definition/changes.js";
import type { Input, Kind } from "../definition/kind.js";
import { isPresent, type Properties, SECRETS_KEY } from "../definition/properties.js";
import { appliedInputs, type Normalised, type ResourceState, readState } from "./resource-state.js";

/*
 * A service may store another value than the one that it was sent: a lower-case slug, a clamped lifetime, the name
 * behind an alias. The pair is remembered, and both values mean the same from then on.
 */

const isEither = (input: Input<unknown, never>, pair: Normalised, value: unknown): boolean =>
  isPresent(value) && (isConsistent(input, pair.sent, value) || isConsistent(input, pair.stored, value));

export interface ResponseValue {
  readonly held: unknown;
  readonly said: unknown;
  /** The output before the operation. */
  readonly previous: unknown;
  readonly pair: Normalised | undefined;
  /** The requests of this operation carried the held value. */
  readonly isSent: boolean;
}

/** Returns what a field holds after a response that shows another value than the held one, and the pair to remember. */
export function reconcile(
  input: Input<unknown, never>,
  { held, said, previous, pair, isSent }: ResponseValue,
): { readonly value: unknown; readonly pair: Normalised | undefined } {
  if (isConsistent(input, held, said)) return { value: held, pair };
  const isKnown = pair !== undefined && isConsistent(input, pair.stored, said);
  // The service has not taken the value: that is no other spelling of it, and the next run sends it again.
  const isIgnored = !isKnown && isPresent(previous) && isConsistent(input, previous, said);
  if (isSent && !input.afterCreation && !isIgnored)
    return { value: held, pair: { sent: held, stored: said } };
  if (pair && isEither(input, pair, said))
    return { value: isEither(input, pair, held) ? held : pair.sent, pair };
  return { value: said, pair };
}

/** The fields whose value in the program is no longer what the resource holds. */
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

/** The program now gives the value that the service has chosen before. */
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

/** The inputs that are secret by their kind or in the program. */
export function secretFields<I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Properties,
): ReadonlySet<string> {
  const own = Object.entries<{ secret?: true }>(kind.inputs).filter(([, input]) => input.secret);
  const named: unknown = values[SECRETS_KEY];
  return new Set([...own.map(([field]) => field), ...(Array.isArray(named) ? named.map(String) : [])]);
}
