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
    cases: /^documented\/schedule\S*\/(create|update) .*deleted-behind/,
    problem: /no longer exists at the service|No database with the id/,
    example: "documented/schedule/update 0:deleted-behind:once",
    why: "a refresh cannot see in this mode that a schedule, or its database, is deleted, and the error offers nothing else",
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
