import { parsedUrl } from "../definition/parsed-url.js";
import { isRecord, type Properties } from "../definition/properties.js";
import { wellFormed } from "./representable.js";

/** Shorter secrets occur in ordinary words. */
const SHORTEST = 4;

/** Shorter pieces of Base64 occur by chance. */
const SHORTEST_PIECE = 8;

/** Shorter lines of a longer secret reveal little and occur by chance. */
const SHORTEST_LINE = 8;

/** The first lines of scripts and the frames of keys, which are not secret and useful in a message. */
const COMMONPLACE =
  /^(#! ?\/[\w./-]+( [a-z]+\d?)?( -[a-z]+)?|#cloud-config|set [-+][a-z -]+|-----(BEGIN|END) [A-Z0-9 ]+-----)$/;

/** Returns the lines of a longer secret, such as a script: a service may quote the one that failed. */
const lines = (secret: string): string[] =>
  secret
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line.length >= SHORTEST_LINE && line !== secret && !COMMONPLACE.test(line));

/** Returns the Base64 pieces of a secret inside a longer encoded text, at each of the three possible offsets. */
const pieces = (secret: string): string[] =>
  [0, 1, 2]
    .map((before) => {
      const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
      // Exclude characters that also contain bits of the neighbouring bytes.
      const whole = Math.floor((bytes.length * 8) / 6);
      return bytes.toString("base64").slice(Math.ceil((before * 8) / 6), whole);
    })
    .filter((piece) => piece.length >= SHORTEST_PIECE);

/** Shorter parts of a URL occur in ordinary words. */
const SHORTEST_PART = 8;

/** Returns the parts that make a URL secret: its password, query values and long path segments. */
function partsOfUrl(secret: string): string[] {
  const url = parsedUrl(secret);
  if (url === undefined) return [];
  const { password, searchParams, pathname } = url;
  const parts = [
    password,
    ...searchParams.values(),
    ...pathname.split("/").filter((part) => part.length >= 16),
  ];
  return parts.filter((part) => part.length >= SHORTEST_PART);
}

const spellings = (secret: string): string[] => {
  const base64 = [Buffer.from(secret).toString("base64"), ...pieces(secret)];
  const base64url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""));
  return [
    secret,
    encodeURIComponent(wellFormed(secret)),
    JSON.stringify(secret).slice(1, -1),
    ...base64,
    ...base64url,
  ];
};

/** Returns every string in the named properties, at any depth. */
export function secretsIn(values: Properties, names: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === "string") found.push(value);
    else if (Array.isArray(value)) value.forEach(collect);
    else if (isRecord(value)) Object.values(value).forEach(collect);
  };
  for (const name of names) collect(values[name]);
  return found;
}

/** Returns the text with the secrets replaced, in every encoding. */
export function redact(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length >= SHORTEST);
  const hidden = [
    ...new Set([...known, ...known.flatMap(lines), ...known.flatMap(partsOfUrl)].flatMap(spellings)),
  ];
  let clean = text;
  // The longest first, so that a secret within another leaves no remainder.
  for (const secret of hidden.sort((a, b) => b.length - a.length))
    clean = clean.replaceAll(secret, "[secret]");
  return clean;
}
