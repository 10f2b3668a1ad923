/** The result of one check. `failed` makes the command fail. */
export interface Check {
  readonly name: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  /** One line without secrets. */
  readonly fact: string;
  /** What to type or do. */
  readonly fix?: string | undefined;
}

/**
 * Returns whether a version is in a range such as `>=20.18.1`, `^3.220.0` or `^22.1 || >=24`. A range without a sign
 * means "or newer". What follows `major.minor.patch` is ignored.
 */
export function satisfies(version: string, range: string): boolean {
  const major = (text: string) => /\d+/.exec(text)?.[0];
  return range
    .split("||")
    .some((least) => isAtLeast(version, least) && (!/^\s*\^/.test(least) || major(version) === major(least)));
}

function isAtLeast(version: string, least: string): boolean {
  const parts = (text: string) => (/\d+(\.\d+)*/.exec(text)?.[0] ?? "").split(".").map(Number);
  const [have, want] = [parts(version), parts(least)];
  for (let at = 0; at < 3; at += 1) {
    const difference = (have[at] ?? 0) - (want[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
