/** Returns a random integer below `bound`. Injected, so that tests are repeatable. */
export type Random = (bound: number) => number;

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
const SEQ_DIGITS = 7;
const RANDOM_DIGITS = 10;

export function randomText(random: Random, length: number): string {
  return Array.from({ length }, () => ALPHABET[random(ALPHABET.length)]).join("");
}

/** Returns an id in the specification's form: prefix, position in the tenant's list, random characters. */
export function makeId(prefix: string, seq: number, random: Random): string {
  return `${prefix}_${seq.toString(36).padStart(SEQ_DIGITS, "0")}${randomText(random, RANDOM_DIGITS)}`;
}

export function idPattern(prefix: string): RegExp {
  return new RegExp(`^${prefix}_[0-9a-z]{${SEQ_DIGITS + RANDOM_DIGITS}}$`);
}

/** Returns the position of an id in its list. */
export function seqOf(id: string): number {
  const at = id.indexOf("_") + 1;
  return Number.parseInt(id.slice(at, at + SEQ_DIGITS), 36);
}
