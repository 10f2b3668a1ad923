/*
 * What a service shows instead of a secret. It says less than the secret itself, and must never take its place.
 */

/** The password in a URL, as it is spelt there. */
const passwordIn = (url: string): string | undefined =>
  /^[a-z][a-z0-9+.-]*:\/\/[^/?#@:]*:([^@]+)@/i.exec(url)?.[1];

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const isHidden = (text: string): boolean =>
  /^[*•●xX]{3,}$|[*•●]{3,}|\.{3}|…/.test(text) ||
  /^(redacted|hidden|masked|filtered|removed)$/i.test(text) ||
  /^[<[({]+[\w -]+[>\])}]+$/.test(text);

/** The value is a mask, or has one in the place of its password. */
export function isMasked(value: unknown): boolean {
  if (typeof value !== "string") return false;
  if (/[*•●]{4,}|<PASSWORD>/.test(value)) return true;
  return value.includes("://") ? isHidden(decoded(passwordIn(value) ?? "")) : isHidden(value);
}

/** The value is a beginning of the one before, or the same kind of URL without its password. */
export function isTruncated(value: unknown, before: unknown): boolean {
  if (typeof value !== "string" || typeof before !== "string" || value === before) return false;
  return before.startsWith(value) || (passwordIn(before) !== undefined && passwordIn(value) === undefined);
}
