import { performance } from "node:perf_hooks";
import type { Filter } from "../campaign.js";
import type { Case } from "../case/case.js";
import { runCase } from "../case/run-case.js";
import type { Evidence } from "../evidence/evidence.js";
import { type Verdict, verdictOn } from "../report.js";
import { closeSandboxes } from "../service/sandboxes.js";
import { wholeCases } from "./choose.js";
import { openWhole } from "./world.js";

/** The duration of one case on an idle machine with two cores; only for the printed estimate. */
const SECONDS_EACH = 30;

/** The number of cases at a time. */
const AT_ONCE = 2;

/** Runs the cases on the real engine, and reports how each ended. */
export async function runWhole(
  filter: Filter,
  sample: number | undefined,
  report: (verdict: Verdict, evidence: Evidence) => void,
): Promise<void> {
  const cases = await wholeCases(filter, sample);
  if (cases.length === 0) throw new Error("no such case runs on the whole engine");
  const minutes = Math.ceil((cases.length * SECONDS_EACH) / AT_ONCE / 60);
  console.log(`${cases.length} cases on the whole engine: about ${minutes} minutes`);
  const queue = [...cases];
  await Promise.all(Array.from({ length: AT_ONCE }, () => work(queue, report)));
  await closeSandboxes();
}

async function work(queue: Case[], report: (verdict: Verdict, evidence: Evidence) => void): Promise<void> {
  for (let each = queue.shift(); each !== undefined; each = queue.shift()) {
    const began = performance.now();
    const run = await runCase(each, openWhole);
    const evidence = { ...run, replay: `npm run faults -- --whole-engine --replay '${run.id}'` };
    const verdict = verdictOn(evidence);
    const seconds = Math.round((performance.now() - began) / 1000);
    const mark = verdict.problems.length > 0 ? "✗" : "✓";
    console.log(`${mark} ${verdict.id}: ${verdict.result} in ${verdict.runs} runs, ${seconds} s`);
    report(verdict, evidence);
  }
}
