import { equal, type Properties } from "../definition/properties.js";
import type { Operation } from "../stack/operation.js";
import { readState } from "../state/resource-state.js";

/** Longer values would hide the rest of a message. */
const LONGEST = 100;

const spelt = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

/** Warns of each value that the service stored in another form than it was sent. */
export function warnOfNormalised<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  outputs: Properties,
  previous: Properties,
): void {
  const known = readState(previous)?.normalised ?? {};
  for (const [field, pair] of Object.entries(readState(outputs)?.normalised ?? {})) {
    if (equal(pair, known[field])) continue;
    const change = operation.secrets.has(field)
      ? `stores another ${field} than the one that it was sent`
      : `stores ${field} as ${spelt(pair.stored)}; it was sent ${spelt(pair.sent)}`;
    operation.warn(
      `${operation.describe(id)}: the service ${change}. Both count as the same value from now on.`,
    );
  }
}
