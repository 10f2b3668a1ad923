import { expect, it } from "vitest";
import { campaign, failuresIn } from "./child.js";

/*
 * A few cases of the campaign on the real engine, with real processes and real kills. All of them:
 * `npm run faults -- --whole-engine`.
 */

const SEED = process.env["FAULTS_SEED"] ?? "1";

it(`keeps every promise on the whole engine (FAULTS_SEED=${SEED})`, async () => {
  const [kills, others] = [
    await campaign("--seed", SEED, "--whole-engine", "--sample", "2", "--fault", "kill", "--kind", "Link"),
    await campaign("--seed", SEED, "--whole-engine", "--sample", "4"),
  ];
  expect([...kills, ...others]).toHaveLength(6);
  expect(failuresIn([...kills, ...others]).join("\n")).toBe("");
});
