import type { Failure, Planned } from "./kind.js";

/** Refuses a plan with less gigabytes of what the resource cannot give back. */
export function cannotShrink<I>(
  planned: Planned<I>,
  field: keyof I & string,
  gigabytes: (value: unknown) => number | undefined,
  words: { readonly of: string; readonly resource: string },
): Failure[] {
  const before = planned.before(field);
  const now = gigabytes(planned.now(field));
  const had = gigabytes(before);
  if (planned.creates || now === undefined || had === undefined || now >= had) return [];
  const reason =
    `has less ${words.of} (${now} GB) than ${before} (${had} GB), and a ${words.resource} cannot shrink. ` +
    `For a smaller one, make a new ${words.resource}`;
  return [{ property: field, reason }];
}
