import { isRecord, type Properties, UNKNOWN } from "../definition/properties.js";

/** Deeper values are cut off; nothing that a program or the service writes is nested like this. */
const DEEPEST = 64;

/** UTF-8, which the engine and the state are written in, cannot spell half a pair. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\uFFFD");

/**
 * Values as the engine can carry them and JSON can keep them. What cannot be represented is left out, as if it were
 * unknown; in a list, null keeps its place. Never throws, whatever the values are.
 */
export function representable(values: Properties): Properties {
  const kept = record(values, []);
  return kept ?? {};
}

function record(values: Properties, above: readonly object[]): Properties | undefined {
  if (above.length >= DEEPEST || above.includes(values)) return undefined;
  const members: [string, unknown][] = [];
  for (const key of Object.keys(values)) {
    // Assigned to an object on its way back, it would be that object's prototype.
    if (key === "__proto__") continue;
    const member = one(values, key, [...above, values]);
    if (member !== undefined) members.push([wellFormed(key), member]);
  }
  return Object.fromEntries(members);
}

/** A member may be a getter that throws. */
function one(of: Properties, key: string, above: readonly object[]): unknown {
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
