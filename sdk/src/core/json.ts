/** A JSON object: no array and not null. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Responses have a handful of levels. Deeper values could overflow the stack of recursive code. */
export const MOST_LEVELS = 100;

/**
 * Returns the parsed text, or undefined when it is not JSON or nested too deeply. The error of `JSON.parse` would quote
 * the text, which may hold a secret.
 */
export function parsedJson(text: string): unknown {
  const value = parsedDeepJson(text);
  return hasMoreLevels(value, MOST_LEVELS) ? undefined : value;
}

/** Returns the parsed text with any number of levels, or undefined when it is not JSON. */
export function parsedDeepJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a value is nested deeper. It recurses no deeper than the levels allow, and `JSON.parse` does not
 * recurse.
 */
export function hasMoreLevels(value: unknown, levels: number): boolean {
  if (Array.isArray(value)) return levels === 0 || value.some((item) => hasMoreLevels(item, levels - 1));
  if (!isObject(value)) return false;
  if (levels === 0) return true;
  for (const name in value) {
    const member = value[name];
    if (typeof member === "object" && hasMoreLevels(member, levels - 1)) return true;
  }
  return false;
}
