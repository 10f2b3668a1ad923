import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { failureModel } from "./failure-model.js";
import type { Caught } from "./hunt.js";
import type { Verdict } from "./report.js";

/*
 * Keeps the results of the last runs; docs/failure-model.md is written from them.
 */

const root = `${process.env["CAMPAIGN_ROOT"] ?? process.cwd()}/`;
const casesFile = `${root}.local/faults/cases.json`;
const mutantsFile = `${root}.local/faults/mutants.json`;

/** The command of a run, and its duration. */
export interface RunOf {
  readonly command: string;
  readonly seconds: number;
}

export interface CaseResults extends RunOf {
  readonly commit: string;
  readonly verdicts: readonly Verdict[];
  /** The cases that failed and were run again at a later commit. Their verdicts are the later ones. */
  readonly repeated?: { readonly cases: number; readonly commit: string };
}

export interface MutantResults extends RunOf {
  readonly commit: string;
  readonly hunted: readonly Pick<Caught, "mutant" | "by">[];
}

export const keepCases = (run: RunOf, verdicts: readonly Verdict[]): void =>
  keep(casesFile, { ...run, commit: commit(), verdicts });

export const keepMutants = (run: RunOf, hunted: readonly Caught[]): void =>
  keep(mutantsFile, { ...run, commit: commit(), hunted });

/** Runs the failed cases of the last run again, and replaces their verdicts. */
export async function repeatFailed(run: (id: string) => Promise<Verdict>): Promise<void> {
  const kept = keptCases();
  const later = new Map<string, Verdict>();
  for (const { id, problems } of kept.verdicts) if (problems.length > 0) later.set(id, await run(id));
  const verdicts = kept.verdicts.map((verdict) => later.get(verdict.id) ?? verdict);
  const repeated = { cases: later.size + (kept.repeated?.cases ?? 0), commit: commit() };
  if (later.size > 0) keep(casesFile, { ...kept, verdicts, repeated });
}

function keptCases(): CaseResults {
  if (!existsSync(casesFile)) throw new Error("there are no results: run `npm run faults` first");
  return JSON.parse(readFileSync(casesFile, "utf8"));
}

/** Writes docs/failure-model.md from the kept results. */
export function writeDocument(): void {
  const cases = keptCases();
  const mutants: MutantResults | undefined = existsSync(mutantsFile)
    ? JSON.parse(readFileSync(mutantsFile, "utf8"))
    : undefined;
  writeFileSync(`${root}docs/failure-model.md`, failureModel(cases, mutants));
}

function keep(file: string, results: CaseResults | MutantResults): void {
  mkdirSync(`${root}.local/faults`, { recursive: true });
  writeFileSync(file, JSON.stringify(results));
}

const commit = (): string =>
  execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
