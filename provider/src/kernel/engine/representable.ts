import { isRecord, type Properties, UNKNOWN } from "../definition/properties.js";

/** The nesting depth at which values are cut off, far beyond that of real programs and responses. */
const DEEPEST = 64;

/** Replaces lone surrogates, which UTF-8, the encoding of the engine and the state, cannot represent. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\uFFFD");

/**
 * Returns values that the engine and JSON can represent. Others are omitted, as if unknown; in a list, null takes their
 * place. Never throws.
 */
export function representable(values: Properties): Properties {
  const kept = record(values, []);
  return kept ?? {};
}

function record(values: Properties, above: readonly object[]): Properties | undefined {
  if (above.length >= DEEPEST || above.includes(values)) return undefined;
  const members: [string, unknown][] = [];
  for (const key of Object.keys(values)) {
    // Would set the prototype of an object when it is assigned later.
    if (key === "__proto__") continue;
    const member = memberOf(values, key, [...above, values]);
    if (member !== undefined) members.push([wellFormed(key), member]);
  }
  return Object.fromEntries(members);
}

/** A member may be a getter that throws. */
function memberOf(of: Properties, key: string, above: readonly object[]): unknown {
  try {
    return leafOr(of[key], above);
  } catch {
    return undefined;
  }
}

function leafOr(value: unknown, above: readonly object[]): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value === "boolean" || value === null || value === UNKNOWN) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (Array.isArray(value)) {
    if (above.length >= DEEPEST || above.includes(value)) return undefined;
    return value.map((item: unknown) => leafOr(item, [...above, value]) ?? null);
  }
  return isRecord(value) ? record(value, above) : undefined;
}
