import { isRecord, type Values } from "./values.js";

/** Shorter secrets would be found in ordinary words. */
const SHORTEST = 4;

const spellings = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64"),
  Buffer.from(secret).toString("base64url"),
  JSON.stringify(secret).slice(1, -1),
];

/** Every string in the named properties, at any depth. */
export function secretsIn(values: Values, names: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") found.push(value);
    else if (Array.isArray(value)) value.forEach(collect);
    else if (isRecord(value)) Object.values(value).forEach(collect);
  };
  for (const name of names) collect(values[name]);
  return found;
}

/** The text without the secrets, however they are spelt. */
export function scrub(text: string, secrets: readonly string[]): string {
  const hidden = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(spellings))];
  let clean = text;
  // The longest first, so that a secret within another leaves nothing over.
  for (const secret of hidden.sort((a, b) => b.length - a.length))
    clean = clean.replaceAll(secret, "[secret]");
  return clean;
}
