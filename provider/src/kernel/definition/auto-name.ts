import { createHash } from "node:crypto";

/** The source of a derived name: the same seed gives the same name on every machine and in every run. */
export interface NameSeed {
  readonly urn: string;
  readonly namespace: string | undefined;
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

/** The specification does not document a limit; most services accept names of this length. */
const LONGEST = 40;

const HASH_LENGTH = 7;

/** Returns a hash in lower-case letters and digits, which every kind of name allows. */
function digest(parts: readonly string[], length: number): string {
  const bytes = createHash("sha256").update(JSON.stringify(parts)).digest();
  let text = "";
  for (let at = 0; at < length; at++) text += ALPHABET.charAt((bytes[at] ?? 0) % ALPHABET.length);
  return text;
}

/** Returns the resource's name in the program: the last part of its URN, which may itself contain `::`. */
export const logicalName = (urn: string): string => urn.split("::").slice(3).join("::");

function readable(urn: string): string {
  return (
    logicalName(urn)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-+/, "")
      .slice(0, LONGEST - HASH_LENGTH - 1)
      .replace(/-+$/, "") || "resource"
  );
}

/** The form of a derived name: readable text with a hash, or the hash alone where names are short. */
export type NameForm = "readable" | "hash";

/**
 * Returns a name that only this resource of this stack requests.
 *
 * @param predecessor - The name of the resource that this one replaces: both exist at once, so their names must differ.
 * @param attempt - The number of the candidate, for when another resource already has the earlier ones.
 */
export function deriveName(form: NameForm, seed: NameSeed, predecessor?: string, attempt = 0): string {
  const parts = [seed.urn, seed.namespace ?? "", predecessor ?? "", attempt === 0 ? "" : String(attempt)];
  return form === "hash" ? digest(parts, 6) : `${readable(seed.urn)}-${digest(parts, HASH_LENGTH)}`;
}
