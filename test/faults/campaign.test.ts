import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plansFor } from "./campaign.js";
import { isKnownOpen, knownOpen } from "./known-open.js";
import type { Verdict } from "./report.js";

/*
 * The part of the campaign that runs with every `npm test`: each scenario without faults, and a sample of cases that
 * takes each kind of resource and class of faults in turn. The whole is `npm run faults`.
 */

const SEED = process.env["FAULTS_SEED"] ?? "1";
const SAMPLE = process.env["FAULTS_SAMPLE"] ?? "240";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "faults-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let runs = 0;

/** Runs the campaign as the command does, in processes of its own. */
function campaign(...args: string[]): Promise<Verdict[]> {
  runs += 1;
  const file = join(folder, `${runs}.json`);
  return new Promise((resolve, reject) => {
    const command = [join(root, "test/faults/start.mjs"), "--seed", SEED, "--json", file, ...args];
    // It ends with 1 where a case fails; what failed is in the file.
    execFile(process.execPath, command, { cwd: root, maxBuffer: 1e8 }, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(readFileSync(file, "utf8")));
      } catch {
        reject(new Error(`the campaign left no results:\n${stdout}\n${stderr}`));
      }
    });
  });
}

const isKnown = ({ id, problems }: Verdict): boolean => isKnownOpen(id, problems);

/** What broke in a case, and the command that shows it again. */
function failureOf({ replay, problems }: Verdict): string {
  const broken = problems.map(
    ({ rule, text, entries }) => `    ${rule}: ${text}${entries.map((entry) => `\n      ${entry}`).join("")}`,
  );
  return [`${replay} --seed ${SEED}`, ...broken].join("\n");
}

const failuresIn = (verdicts: readonly Verdict[]): string[] =>
  verdicts.filter((verdict) => verdict.problems.length > 0 && !isKnown(verdict)).map(failureOf);

describe(`the faults campaign (FAULTS_SEED=${SEED} FAULTS_SAMPLE=${SAMPLE})`, { retry: 0 }, () => {
  let verdicts: Verdict[] = [];

  beforeAll(async () => {
    console.log(`FAULTS_SEED=${SEED} FAULTS_SAMPLE=${SAMPLE}`);
    // The number of processes decides which cases a seed chooses.
    verdicts = await campaign("--processes", "2", "--sample", SAMPLE, "--stratified", "--pairs", "0");
  }, 1_200_000);

  it("keeps every promise in each scenario without faults", () => {
    const clean = verdicts.filter(({ faults }) => faults.length === 0);
    expect(clean.map(({ id }) => id).sort()).toEqual(
      plansFor({ seed: 1 })
        .map(({ mode, scenario }) => `${mode}/${scenario.name}`)
        .sort(),
    );
    expect(failuresIn(clean).join("\n")).toBe("");
  });

  it("keeps every promise under the faults of the sample", () => {
    const struck = verdicts.filter(({ faults }) => faults.length > 0);
    expect(struck.length).toBeGreaterThanOrEqual(Number(SAMPLE) * 0.9);
    expect(failuresIn(struck).join("\n")).toBe("");
  });
});

describe.runIf(knownOpen.length > 0)("a known defect", { retry: 0, timeout: 120_000 }, () => {
  it.each(knownOpen.map((each) => [each.why, each] as const))(
    "is still there; if not, delete its entry: %s",
    async (_why, { example }) => {
      const [verdict] = await campaign("--replay", example);
      expect(verdict && isKnown(verdict), JSON.stringify(verdict?.problems, null, 1)).toBe(true);
    },
  );
});
