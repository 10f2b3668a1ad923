/** A defect that the campaign has found and that is not fixed yet. */
export interface KnownOpen {
  /** Matches the ids of the cases that fail because of it. */
  readonly cases: RegExp;
  /** Matches a problem of each of these cases; another failure of the same case is not known. */
  readonly problem: RegExp;
  /** One case that fails for as long as the defect is there. */
  readonly example: string;
  readonly why: string;
  /** What would fix it. */
  readonly fix: string;
}

/** Whoever fixes one deletes its entry: a test expects each of them to fail. */
export const knownOpen: readonly KnownOpen[] = [];

/** Whether a case fails in a way that is known. */
export const isKnownOpen = (
  id: string,
  problems: readonly { readonly rule: string; readonly text: string; readonly entries: readonly string[] }[],
): boolean =>
  knownOpen.some(
    ({ cases, problem }) =>
      cases.test(id) &&
      problems.some(({ rule, text, entries }) =>
        [`${rule}: ${text}`, ...entries].some((line) => problem.test(line)),
      ),
  );
