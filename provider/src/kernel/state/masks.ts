/*
 * Detects the masks that a service shows instead of a secret. A mask must never overwrite the secret in the state.
 */

/** Returns the password in a URL, still encoded. */
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

/** Returns whether the value is a mask, or a URL with a masked password. */
export function isMasked(value: unknown): boolean {
  if (typeof value !== "string") return false;
  if (/[*•●]{4,}|<PASSWORD>/.test(value)) return true;
  return value.includes("://") ? isHidden(decoded(passwordIn(value) ?? "")) : isHidden(value);
}

/** Returns whether the value is a prefix of the previous one, or a URL that lacks the previous one's password. */
export function isTruncated(value: unknown, before: unknown): boolean {
  if (typeof value !== "string" || typeof before !== "string" || value === before) return false;
  return before.startsWith(value) || (passwordIn(before) !== undefined && passwordIn(value) === undefined);
}
