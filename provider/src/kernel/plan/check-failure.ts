import type { Input } from "../definition/kind.js";
import { parsedUrl } from "../definition/parsed-url.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";

/** Returns the failure of one field. It contains the part of the value that is safe to show. */
export const invalidInput = (
  field: string,
  input: Input<unknown, never>,
  problem: string,
  value?: unknown,
): Diagnostic => ({ code: "INPUT_INVALID", summary: `${shownInput(field, input, value)} ${problem}` });

/** Returns what messages call an input: its name, with the value where that is safe to show. */
export function shownInput(field: string, { secret }: Input<unknown, never>, value?: unknown): string {
  const shown = secret ? "" : showable(value);
  return `${field}${shown && ` (${shown})`}`;
}

/** Returns the part of a value that is never secret: numbers, flags, and the scheme and host of a URL. */
function showable(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const url = parsedUrl(value);
  return url === undefined ? "" : `${url.protocol}//${url.host}/…`;
}
