/** A JSON object: no array and not null. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Responses have a handful of levels. Deeper values could overflow the stack of recursive code. */
const MOST_LEVELS = 100;

/** Returns whether the text, JSON or not, is nested deeper than any response of the service. */
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
  try {
    const value: unknown = JSON.parse(text);
    return hasMoreLevels(value, MOST_LEVELS) ? undefined : value;
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a value is nested deeper. It visits the values instead of the characters, of which a response has
 * about thirty times as many. It recurses no deeper than the levels allow, and `JSON.parse` does not recurse.
 */
function hasMoreLevels(value: unknown, levels: number): boolean {
  if (Array.isArray(value)) return levels === 0 || value.some((item) => hasMoreLevels(item, levels - 1));
  if (!isObject(value)) return false;
  if (levels === 0) return true;
  for (const name in value) {
    const member = value[name];
    if (typeof member === "object" && hasMoreLevels(member, levels - 1)) return true;
  }
  return false;
}
