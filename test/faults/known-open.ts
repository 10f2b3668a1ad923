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
    cases: /^documented\/(link|inbox)\S* .*stale-/,
    problem: /^(lost|doubled|destroyed): /,
    example: "documented/link/create 0:stale-next-3:once",
    why: "a refresh that reads stale data takes a new link or inbox out of the state, and the next run creates another",
    fix: "confirm with a second read, some seconds later, that a young resource is deleted",
  },
  {
    cases: /^conventional\/schedule\/(destroy|replace) .*kill-/,
    problem: /was not deleted: the service answers "not found", but no read of it has ever succeeded/,
    example: "conventional/schedule/destroy 0:kill-engine-before-checkpoint:once",
    why: "a schedule whose deletion was carried out, but not recorded, cannot be deleted again",
    fix: "believe `not found` of a schedule whose database was read, or was created by this stack",
  },
  {
    cases: /^documented\/(database|server|schedule|action|webhook)/,
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
  {
    cases: /^documented\/server\S*\/update /,
    problem: /^agreement: .*powerState of the program/,
    example: "documented/server-named/update 0:stall-before:once",
    why: "in this mode a start or stop whose response is lost is not repeated, and counts as done",
    fix: "excuse it in the judge, because the message says so, or keep the former powerState in the state",
  },
  {
    cases: /^conventional\/\S+ .*provisioning-stuck/,
    problem: /is not settled after/,
    example: "conventional/server-named/update 1:provisioning-stuck:once",
    why: "what is stuck at the service for ever never recovers; the stop is honest, and the judge counts it",
    fix: "let the campaign release what is stuck after the broken command",
  },
  {
    cases: /^conventional\/action\S* .*provisioning-fails/,
    problem: /does not recover/,
    example: "conventional/action/replace 0:provisioning-fails:once",
    why: "a server that fails during an action stays failed, and no later run of the action repairs it",
    fix: "offer to replace the server in the error of the action",
  },
  {
    cases: /^\w+\/\S+ .*masked/,
    problem: /^agreement: .*the state has no password/,
    example: "conventional/database/replace 3:masked:rest",
    why: "the judge expects a password in the state that no response has shown",
    fix: "expect in the judge only what a response has shown",
  },
  {
    cases: /\/adopt .*deleted-behind/,
    problem: /could not be adopted: .*404/,
    example: "conventional/server/adopt 1:deleted-behind:once",
    why: "a resource that is deleted while it is adopted ends in an error that offers nothing",
    fix: "offer to remove `adopt` in the error",
  },
  {
    cases: /^documented\/schedule\S*\/update .*deleted-behind/,
    problem: /no longer exists at the service/,
    example: "documented/schedule/update 0:deleted-behind:once",
    why: "the error offers a refresh, which cannot see in this mode that a schedule is deleted",
    fix: "offer `pulumi state delete` in this mode",
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
