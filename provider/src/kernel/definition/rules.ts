import type { CheckFailure, Planned } from "./kind.js";

/** Rejects a plan that shrinks a size that can only grow. */
export function cannotShrink<I>(
  planned: Planned<I>,
  field: keyof I & string,
  gigabytes: (value: unknown) => number | undefined,
  words: { readonly of: string; readonly resource: string },
): CheckFailure[] {
  const before = planned.before(field);
  const now = gigabytes(planned.after(field));
  const had = gigabytes(before);
  if (planned.creates || now === undefined || had === undefined || now >= had) return [];
  const reason =
    `has less ${words.of} (${now} GB) than ${before} (${had} GB), and a ${words.resource} cannot shrink. ` +
    newOneFor(field, words.resource);
  return [{ property: field, reason }];
}

/** Returns the advice for a change that only a replacement can make. */
export const newOneFor = (field: string, resource: string): string =>
  `To replace it with a new, empty ${resource}, set the option \`replaceOnChanges: ["${field}"]\` on the resource itself`;

/** Returns the warning about a value that the specification does not list. */
export const notListed = (field: string, value: string, listed: readonly string[]): string =>
  `${field} "${value}" is not in the specification's list (${listed.join(", ")}): the service decides whether it exists.`;
