import { performance } from "node:perf_hooks";
import { isNative } from "./program.js";
import { runRounds } from "./rounds.js";
import { closeSandboxes } from "./service/sandboxes.js";

/** Runs the rounds, prints the results, and returns whether all succeeded. */
export async function showRounds(count: number, seed: number): Promise<boolean> {
  const began = performance.now();
  const results = new Map<string, number>();
  let [struck, failed, done] = [0, 0, 0];
  await runRounds(count, seed, ({ round, faults, result, runs, problems }) => {
    done += 1;
    struck += faults.length;
    const key = result === "recovered" ? `recovered in ${runs} runs` : result;
    results.set(key, (results.get(key) ?? 0) + 1);
    if (problems.length === 0 && result !== "stuck") return;
    failed += 1;
    console.log(`✗ round ${round} (${result}), faults: ${faults.join(", ")}`);
    for (const problem of problems) console.log(`    ${problem.slice(0, 600)}`);
  });
  await closeSandboxes();
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(
    `${done} rounds of change with ${struck} faults in ${seconds} s, seed ${seed}, ${failed} failed`,
  );
  for (const [key, number] of [...results].sort()) console.log(`  ${key}: ${number}`);
  if (failed > 0)
    console.log(`npm run faults -- ${isNative ? "--form native " : ""}--rounds ${count} --seed ${seed}`);
  return failed === 0 && done === count;
}
