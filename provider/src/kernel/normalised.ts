import { agree, changedFields, same } from "./changes.js";
import type { Input, Kind } from "./kind.js";
import { describe, heldInputs, type Memory, type Normalised, recall } from "./memory.js";
import type { Scope } from "./scope.js";
import { equal, isPresent, SECRETS_KEY, stringOf, URN_KEY, type Values } from "./values.js";

/*
 * A service may store another value than the one that it was sent: a lower-case slug, a clamped lifetime, the name
 * behind an alias. The pair is remembered, and both values mean the same from then on.
 */

const isEither = (input: Input<unknown, never>, pair: Normalised, value: unknown): boolean =>
  isPresent(value) && (agree(input, pair.sent, value) || agree(input, pair.stored, value));

export interface Answered {
  readonly held: unknown;
  readonly said: unknown;
  /** The output before the operation. */
  readonly previous: unknown;
  readonly pair: Normalised | undefined;
  /** The requests of this operation carried the held value. */
  readonly isSent: boolean;
}

/** Returns what a field holds after a response that shows another value than the held one, and the pair to remember. */
export function settledValue(
  input: Input<unknown, never>,
  { held, said, previous, pair, isSent }: Answered,
): { readonly value: unknown; readonly pair: Normalised | undefined } {
  if (agree(input, held, said)) return { value: held, pair };
  const isKnown = pair !== undefined && agree(input, pair.stored, said);
  // The service has not taken the value: that is no other spelling of it, and the next run sends it again.
  const isIgnored = !isKnown && isPresent(previous) && agree(input, previous, said);
  if (isSent && !input.afterCreation && !isIgnored)
    return { value: held, pair: { sent: held, stored: said } };
  if (pair && isEither(input, pair, said))
    return { value: isEither(input, pair, held) ? held : pair.sent, pair };
  return { value: said, pair };
}

/** The fields whose value in the program is no longer what the resource holds. */
export function changedSince<I extends object, R extends object>(
  kind: Kind<I, R>,
  outputs: Values,
  news: Values,
): [string, Input<unknown, R>][] {
  const memory = recall(outputs);
  const held = heldInputs(kind, outputs);
  return changedFields(kind, held, news).filter(([field, input]) => {
    const pair = memory?.normalised?.[field];
    if (pair && isEither(input, pair, held[field]) && isEither(input, pair, news[field])) return false;
    return !isWrittenDown(memory, field, input, outputs[field], news[field]);
  });
}

/** The program now gives the value that the service has chosen before. */
const isWrittenDown = (
  memory: Memory | undefined,
  field: string,
  input: Input<unknown, never>,
  chosen: unknown,
  value: unknown,
): boolean =>
  memory !== undefined &&
  !memory.given.includes(field) &&
  isPresent(chosen) &&
  isPresent(value) &&
  same(input, chosen, value);

/** Longer values would hide the rest of a message. */
const LONGEST = 100;

const spelt = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

/** Warns of each value that the service has just stored otherwise than it was sent. */
export function warnOfNormalised<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  id: string,
  outputs: Values,
  previous: Values,
): void {
  const known = recall(previous)?.normalised ?? {};
  const secrets = secretFields(kind, outputs);
  for (const [field, pair] of Object.entries(recall(outputs)?.normalised ?? {})) {
    if (equal(pair, known[field])) continue;
    const change = secrets.has(field)
      ? `stores another ${field} than the one that it was sent`
      : `stores ${field} as ${spelt(pair.stored)}; it was sent ${spelt(pair.sent)}`;
    session.reporter.warn(
      stringOf(outputs, URN_KEY),
      `${describe(kind, outputs, id)}: the service ${change}. Both count as the same value from now on.`,
    );
  }
}

/** The inputs that are secret by their kind or in the program. */
export function secretFields<I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Values,
): ReadonlySet<string> {
  const own = Object.entries<{ secret?: true }>(kind.inputs).filter(([, input]) => input.secret);
  const named: unknown = values[SECRETS_KEY];
  return new Set([...own.map(([field]) => field), ...(Array.isArray(named) ? named.map(String) : [])]);
}
