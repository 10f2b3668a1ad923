/** Fills an array with random bytes' worth of integers below `bound`; injected so that tests can repeat a run. */
export type Random = (bound: number) => number;

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
const SEQ_DIGITS = 7;
const RANDOM_DIGITS = 10;

export function randomText(random: Random, length: number): string {
  return Array.from({ length }, () => ALPHABET[random(ALPHABET.length)]).join("");
}

/** An id of the specification's form: the kind's prefix, the place in the tenant's list, and a random rest. */
export function makeId(prefix: string, seq: number, random: Random): string {
  return `${prefix}_${seq.toString(36).padStart(SEQ_DIGITS, "0")}${randomText(random, RANDOM_DIGITS)}`;
}

export function idPattern(prefix: string): RegExp {
  return new RegExp(`^${prefix}_[0-9a-z]{${SEQ_DIGITS + RANDOM_DIGITS}}$`);
}

/** The place of an id in its list. */
export function seqOf(id: string): number {
  const at = id.indexOf("_") + 1;
  return Number.parseInt(id.slice(at, at + SEQ_DIGITS), 36);
}
