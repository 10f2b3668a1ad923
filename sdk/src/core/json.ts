/** A JSON object: no array and not null. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Responses have a handful of levels. Deeper values could overflow the stack of recursive code. */
const MOST_LEVELS = 100;

/** Returns whether the text is nested deeper than any response of the service. */
export function isTooDeep(text: string): boolean {
  let level = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) inString = !inString;
    else if (inString) at += code === 0x5c ? 1 : 0;
    else if (code === 0x5b || code === 0x7b) {
      level += 1;
      if (level > MOST_LEVELS) return true;
    } else if (code === 0x5d || code === 0x7d) level -= 1;
  }
  return false;
}

/**
 * Returns the parsed text, or undefined when it is not JSON or nested too deeply. The error of `JSON.parse` would quote
 * the text, which may hold a secret.
 */
export function parsedJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
