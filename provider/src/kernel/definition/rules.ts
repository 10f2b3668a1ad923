import type { Diagnostic, Fix } from "../diagnostics/diagnostic.js";
import { setting } from "../settings/setting-change.js";
import { sameWord } from "./fields.js";
import type { Planned } from "./kind.js";

/** Returns the entry of a list in the specification whose id a value names. */
export const listedAs = <T extends { readonly id: string }>(
  list: readonly T[],
  id: unknown,
): T | undefined => (typeof id === "string" ? list.find((entry) => sameWord(entry.id, id)) : undefined);

/** Rejects a plan that shrinks a size that can only grow. */
export function cannotShrink<I>(
  planned: Planned<I>,
  field: keyof I & string,
  gigabytes: (value: unknown) => number | undefined,
  words: { readonly of: string; readonly resource: string },
): Diagnostic[] {
  const before = planned.before(field);
  const now = gigabytes(planned.after(field));
  const had = gigabytes(before);
  if (planned.creates || now === undefined || had === undefined || now >= had) return [];
  const summary = `${field} has less ${words.of} (${now} GB) than ${before} (${had} GB), and a ${words.resource} cannot shrink`;
  return [{ code: "CHANGE_NOT_ALLOWED", summary, fixes: [newOneFor(field, words.resource)] }];
}

/** Returns the fix for a change that only a replacement can make. */
export const newOneFor = (field: string, resource: string): Fix => ({
  when: `for a new, empty ${resource}`,
  line: `set the option \`replaceOnChanges: ["${field}"]\` on the resource itself`,
});

/** The fix for a value that the specification does not list. */
export const ALLOW_UNLISTED: Fix = {
  when: "to use it anyway",
  line: [setting("allowUnlisted", true)],
};

/** Returns the failure for a value that looks misspelt. */
export const misspelt = (summary: string, listed: readonly string[], near: string): Diagnostic => ({
  code: "INPUT_UNLISTED",
  summary,
  cause: `the specification lists ${listed.join(", ")}.`,
  fixes: [{ when: "if it is misspelt", line: `"${near}"` }, ALLOW_UNLISTED],
});

/** Returns the warning about a value that the specification does not list. */
export const notListed = (field: string, value: string, listed: readonly string[]): string =>
  `${field} "${value}" is not in the specification's list (${listed.join(", ")}): the service decides whether it exists.`;
