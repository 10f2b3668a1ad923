import { type Line, lineText, type SettingsPlace } from "./line.js";

/*
 * One shape for everything that stops an operation, and one place that renders it. docs/troubleshooting.md has a section
 * for each code; a test holds the two together.
 */

/** Every code that a message may end with. Codes are stable: scripts and tests match them. */
export const CODES = [
  "ACTION_NOT_RUN",
  "ACTION_OUTCOME_UNKNOWN",
  "ADOPTED_NOT_UPDATED",
  "ADOPTED_TWICE",
  "ADOPT_AFTER_CREATE",
  "ADOPT_FAILED",
  "ADOPT_MISMATCH",
  "ADOPT_NOT_FOUND",
  "ADOPT_UNSUPPORTED",
  "ALREADY_MANAGED",
  "CHANGE_NOT_ALLOWED",
  "CONFIG_INVALID",
  "CREATE_FAILED",
  "CREATE_OUTCOME_UNKNOWN",
  "DECLARED_TWICE",
  "DELETED_AT_SERVICE",
  "DELETE_BUSY",
  "DELETE_FAILED",
  "DELETE_UNSUPPORTED",
  "EXPIRED",
  "GET_NOT_FOUND",
  "GET_UNSUPPORTED",
  "ID_UNKNOWN",
  "IMPORT_MISMATCH",
  "INPUT_INVALID",
  "INPUT_UNKNOWN",
  "INPUT_UNLISTED",
  "KEY_CHANGED",
  "LOOKUP_AMBIGUOUS",
  "LOOKUP_FAILED",
  "LOOKUP_NOT_FOUND",
  "LOOKUP_UNSUPPORTED",
  "MANAGED_TWICE",
  "NAME_IN_USE",
  "NAME_TAKEN",
  "NOT_READY",
  "NOT_REPLACED",
  "POSSIBLE_DUPLICATE",
  "PROGRAM_INVALID",
  "PROVISIONING_FAILED",
  "READ_FAILED",
  "REPLACE_ADOPTED",
  "REPLACE_UNSUPPORTED",
  "STATE_TOO_NEW",
  "UPDATE_FAILED",
  "UPDATE_INCOMPLETE",
  "UPDATE_OUTCOME_UNKNOWN",
  "UPDATE_UNSUPPORTED",
  "WRONG_RESOURCE",
  "WRONG_SERVICE",
] as const;

/** What went wrong, as a stable name. */
export type Code = (typeof CODES)[number];

/** One way on: a condition, and what to type or do if it holds. */
export interface Fix {
  /** Absent where the fix applies in every case. */
  readonly when?: string | undefined;
  readonly line: Line;
  /** The fix exists only where resources have a provider: in the native form. */
  readonly isNative?: true | undefined;
}

/** What stopped an operation. */
export interface Diagnostic {
  readonly code: Code;
  /** The fact in one line, without advice. The engine's rows show this line alone. */
  readonly summary: string;
  readonly cause?: string | undefined;
  /** At most three. Everything else is in the documentation behind the code. */
  readonly fixes?: readonly Fix[] | undefined;
}

/** The section of docs/troubleshooting.md about a code. */
export const anchorOf = (code: Code): string => code.toLowerCase().replaceAll("_", "-");

/**
 * Returns the text that the user sees: the summary with its code, then a line each for the cause and the fixes.
 *
 * @param place - Where the program sets the settings that the fixes name.
 */
export function render(
  { code, summary, cause, fixes = [] }: Diagnostic,
  place: SettingsPlace = "stack",
): string {
  return [
    `${summary} [${code}]`,
    ...(cause ? [`cause: ${cause}`] : []),
    ...fixes
      .filter(({ isNative }) => !isNative || place !== "stack")
      .map(({ when, line }) => `${when ?? "fix"}: ${lineText(line, place)}`),
    `more: docs/troubleshooting.md#${anchorOf(code)}`,
  ].join("\n  ");
}
