/** A JSON object, as opposed to an array or null. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What the service sends has a handful of levels; code that follows a value down would overflow its stack. */
const MOST_LEVELS = 100;

/** Whether brackets outside of strings are nested deeper than any response of the service. */
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
 * Undefined for what is no JSON, or is nested too deeply: the engine's own error would quote the text, and it may hold
 * a secret.
 */
export function parsedJson(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
