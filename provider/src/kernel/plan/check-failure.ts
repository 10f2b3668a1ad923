import type { CheckFailure, Input } from "../definition/kind.js";

/**
 * The engine prints the value of the property that a failure names, also where the program has made a secret of it,
 * so failures about single fields name none and tell themselves what can be told of the value.
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

/** What is never a secret: numbers and, of a URL, where it leads but not to what. */
function showable(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string" || !URL.canParse(value)) return "";
  const { protocol, host } = new URL(value);
  return `${protocol}//${host}/…`;
}
