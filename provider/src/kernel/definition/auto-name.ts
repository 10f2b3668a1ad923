import { createHash } from "node:crypto";

/** Where a derived name comes from: the same seed gives the same name on every machine and in every run. */
export interface NameSeed {
  readonly urn: string;
  readonly namespace: string | undefined;
}

const ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Services limit names, and the specification does not say to what: the whole name is one that most accept. */
const LONGEST = 40;

const HASH_LENGTH = 7;

/** A hash as lower-case letters and digits, which every kind of name may hold. */
function digest(parts: readonly string[], length: number): string {
  const bytes = createHash("sha256").update(JSON.stringify(parts)).digest();
  let text = "";
  for (let at = 0; at < length; at++) text += ALPHABET.charAt((bytes[at] ?? 0) % ALPHABET.length);
  return text;
}

/** The name that the program gave to the resource: the last part of its URN, which may itself hold `::`. */
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

/** How a kind makes a name from its seed: readable with a hash, or the hash alone where names are short. */
export type NameForm = "readable" | "hash";

/**
 * A name that only this resource of this stack asks for. A `predecessor` gives the name of the resource that
 * replaces it, which may not clash with it while both are alive; an `attempt` gives the next candidate when a
 * stranger has the first one.
 */
export function deriveName(form: NameForm, seed: NameSeed, predecessor?: string, attempt = 0): string {
  const parts = [seed.urn, seed.namespace ?? "", predecessor ?? "", attempt === 0 ? "" : String(attempt)];
  return form === "hash" ? digest(parts, 6) : `${readable(seed.urn)}-${digest(parts, HASH_LENGTH)}`;
}
