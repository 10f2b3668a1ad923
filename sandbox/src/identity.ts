/** Fills an array with random bytes' worth of integers below `bound`; injected so that tests can repeat a run. */
export type Random = (bound: number) => number;

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
const SEQ_DIGITS = 7;
const ID = /^([a-z]+)_([0-9a-z]{7})[0-9a-z]{10}$/;

export function randomText(random: Random, length: number): string {
  return Array.from({ length }, () => ALPHABET[random(ALPHABET.length)]).join("");
}

/** An id of the specification's form: the kind's prefix, the place in the tenant's list, and a random rest. */
export function makeId(prefix: string, seq: number, random: Random): string {
  return `${prefix}_${seq.toString(36).padStart(SEQ_DIGITS, "0")}${randomText(random, 10)}`;
}

/** The place of an id in its list; `undefined` where it is no id of this kind. */
export function seqOf(prefix: string, id: string): number | undefined {
  const match = ID.exec(id);
  return match?.[1] === prefix && match[2] !== undefined ? Number.parseInt(match[2], 36) : undefined;
}
