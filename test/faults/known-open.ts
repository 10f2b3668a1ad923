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
export const knownOpen: readonly KnownOpen[] = [
  {
    cases: /^documented\/link\S*\/\w+ .*stale-/,
    problem: /^(lost|doubled|destroyed): /,
    example: "documented/link/create 0:stale-next-3:once",
    why: "a refresh that reads stale data takes a new link out of the state, and the next run creates another",
    fix: "confirm with a second read, some seconds later, that a young link is deleted",
  },
  {
    cases: /^conventional\/schedule\/(destroy|replace) .*kill-engine-/,
    problem: /was not deleted: the service answers "not found", but no read of it has ever succeeded/,
    example: "conventional/schedule/destroy 0:kill-engine-before-checkpoint:once",
    why: "a schedule whose deletion was carried out, but not recorded, cannot be deleted again",
    fix: "believe `not found` of a schedule whose database was read, or was created by this stack",
  },
  {
    cases: /^documented\/(database|server|schedule|action)/,
    problem: /cannot be adopted: the specification shows no request that reads/,
    example: "documented/database/create 0:cut-body:every",
    why: "after a lost creation the error offers `adopt`, which this mode cannot do",
    fix: "offer to delete it at the service instead",
  },
  {
    cases: /^\w+\/inbox\S*\/(create|replace|rename) /,
    problem: /^doubled: |expires|outlives the stack/,
    example: "documented/inbox/replace 0:reset-after:every",
    why: "an inbox whose three creations were all lost is reported as not sent again, and not as expiring",
    fix: "say in the last error how often it was sent and that each inbox expires by itself",
  },
];

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
