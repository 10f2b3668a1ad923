/** The result of one check. `failed` makes the command fail. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  /** One line without secrets. */
  readonly fact: string;
  /** What to type or do. */
  readonly fix?: string | undefined;
}

/** Returns whether a version is at least another one. Both are `major.minor.patch`; the rest is ignored. */
export function isAtLeast(version: string, least: string): boolean {
  const parts = (text: string) => (/\d+(\.\d+)*/.exec(text)?.[0] ?? "").split(".").map(Number);
  const [have, want] = [parts(version), parts(least)];
  for (let at = 0; at < 3; at += 1) {
    const difference = (have[at] ?? 0) - (want[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
