import { equal, type Properties, stringOf, URN_KEY } from "../definition/properties.js";
import type { Scope } from "../stack/scope.js";
import { describeResource } from "../state/describe.js";
import { secretFields } from "../state/normalised.js";
import { readState } from "../state/resource-state.js";

/** Longer values would hide the rest of a message. */
const LONGEST = 100;

const spelt = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "";
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
};

/** Warns of each value that the service stored in another form than it was sent. */
export function warnOfNormalised<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  id: string,
  outputs: Properties,
  previous: Properties,
): void {
  const known = readState(previous)?.normalised ?? {};
  const secrets = secretFields(kind, outputs);
  for (const [field, pair] of Object.entries(readState(outputs)?.normalised ?? {})) {
    if (equal(pair, known[field])) continue;
    const change = secrets.has(field)
      ? `stores another ${field} than the one that it was sent`
      : `stores ${field} as ${spelt(pair.stored)}; it was sent ${spelt(pair.sent)}`;
    session.reporter.warn(
      stringOf(outputs, URN_KEY),
      `${describeResource(kind, outputs, id)}: the service ${change}. Both count as the same value from now on.`,
    );
  }
}
