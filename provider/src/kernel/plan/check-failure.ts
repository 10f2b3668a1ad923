import type { CheckFailure, Input } from "../definition/kind.js";

/**
 * Returns a failure of one field. Its `property` is empty, because the engine prints the value of a named property even
 * when it is secret; the reason contains the part of the value that is safe to show.
 */
export function checkFailure(
  field: string,
  input: Input<unknown, never>,
  reason: string,
  value?: unknown,
): CheckFailure {
  const shown = input.secret ? "" : showable(value);
  return { property: "", reason: `${field}${shown && ` (${shown})`} ${reason}` };
}

/** Returns the part of a value that is never secret: numbers, flags, and the scheme and host of a URL. */
function showable(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || !URL.canParse(value)) return "";
  const { protocol, host } = new URL(value);
  return `${protocol}//${host}/…`;
}
