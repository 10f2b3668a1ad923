import { performance } from "node:perf_hooks";
import type { Filter } from "../campaign.js";
import type { Case } from "../case/case.js";
import { runCase } from "../case/run-case.js";
import type { Evidence } from "../evidence/evidence.js";
import { type Verdict, verdictOn } from "../report.js";
import { closeSandboxes } from "../service/sandboxes.js";
import { wholeCases } from "./choose.js";
import { openWhole } from "./world.js";

/** Of one case, with a machine of two cores for itself; only for the estimate that is printed at the beginning. */
const SECONDS_EACH = 30;

/** How many cases run at once, each with processes of its own. */
const AT_ONCE = 2;

/** Runs the cases of the whole engine, and says how each of them ended. */
export async function runWhole(
  filter: Filter,
  sample: number | undefined,
  tell: (verdict: Verdict, evidence: Evidence) => void,
): Promise<void> {
  const cases = await wholeCases(filter, sample);
  if (cases.length === 0) throw new Error("no such case runs on the whole engine");
  const minutes = Math.ceil((cases.length * SECONDS_EACH) / AT_ONCE / 60);
  console.log(`${cases.length} cases on the whole engine: about ${minutes} minutes`);
  const queue = [...cases];
  await Promise.all(Array.from({ length: AT_ONCE }, () => work(queue, tell)));
  await closeSandboxes();
}

async function work(queue: Case[], tell: (verdict: Verdict, evidence: Evidence) => void): Promise<void> {
  for (let each = queue.shift(); each !== undefined; each = queue.shift()) {
    const began = performance.now();
    const run = await runCase(each, openWhole);
    const evidence = { ...run, replay: `npm run faults -- --whole-engine --replay '${run.id}'` };
    const verdict = verdictOn(evidence);
    const seconds = Math.round((performance.now() - began) / 1000);
    const mark = verdict.problems.length > 0 ? "✗" : "✓";
    console.log(`${mark} ${verdict.id}: ${verdict.result} in ${verdict.runs} runs, ${seconds} s`);
    tell(verdict, evidence);
  }
}
