import { beforeAll, describe, expect, it } from "vitest";
import { plansFor } from "./campaign.js";
import { campaign, failuresIn } from "./child.js";
import type { Verdict } from "./report.js";

/*
 * The part of the campaign that `npm test` runs: each scenario without faults, and a sample of cases from every kind of
 * resource and class of faults. `npm run faults` runs all cases.
 */

const SEED = process.env["FAULTS_SEED"] ?? "1";
const SAMPLE = process.env["FAULTS_SAMPLE"] ?? "240";

const run = (...args: string[]) => campaign("--seed", SEED, ...args);

describe(`the faults campaign (FAULTS_SEED=${SEED} FAULTS_SAMPLE=${SAMPLE})`, { retry: 0 }, () => {
  let verdicts: Verdict[] = [];

  beforeAll(async () => {
    console.log(`FAULTS_SEED=${SEED} FAULTS_SAMPLE=${SAMPLE}`);
    // The number of processes decides which cases a seed chooses.
    verdicts = await run("--processes", "2", "--sample", SAMPLE, "--stratified", "--pairs", "0");
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

describe(`the faults campaign through the native plugin (FAULTS_SEED=${SEED})`, { retry: 0 }, () => {
  it("keeps every promise in each scenario, and under the faults of a smaller sample", async () => {
    const sample = String(Math.ceil(Number(SAMPLE) / 2));
    const options = ["--processes", "2", "--sample", sample, "--stratified", "--pairs", "0"];
    const verdicts = await run("--form", "native", ...options);
    expect(verdicts.length).toBeGreaterThan(Number(sample));
    expect(failuresIn(verdicts).join("\n")).toBe("");
  }, 1_200_000);
});
