import { existsSync } from "node:fs";
import { local } from "../setup/paths.mjs";
import { prepare } from "../setup/prepare.mjs";
import { Problem } from "../setup/problem.mjs";
import { Pulumi, removeStack, stackExists, stackName } from "./pulumi.mjs";
import { ensureSandbox, idsAtSandbox, removeSandboxData, stopSandbox } from "./sandbox.mjs";
import { lockStack, resourcesOf } from "./start.mjs";

const log = (/** @type {string} */ line) => console.log(`• ${line}`);

/**
 * Destroys what `start` created and stops the sandbox.
 *
 * @returns {Promise<number>} exit code
 */
export async function down() {
  if (!existsSync(local)) {
    console.log("There is nothing to take down.");
    return 0;
  }
  const release = await lockStack();
  try {
    const had = stackExists();
    const left = had ? await destroy() : 0;
    const stopped = await stopSandbox();
    if (stopped) log("the sandbox is stopped");
    if (left > 0) log(`the sandbox keeps ${left} resources of other stacks, in .local/sandbox`);
    else removeSandboxData();
    if (!had && !stopped) console.log("There is nothing to take down.");
    return 0;
  } finally {
    release();
  }
}

/** @returns {Promise<number>} number of resources of other stacks in the sandbox */
async function destroy() {
  const engine = await prepare(log);
  await ensureSandbox(log);
  const pulumi = new Pulumi(engine);
  await pulumi.releaseLock(log);
  if ((await resourcesOf(pulumi)).length > 0) {
    log("pulumi destroy\n");
    const code = await pulumi.show(["destroy", "--yes", "--skip-preview", "--stack", stackName]);
    if (code !== 0)
      throw new Problem("pulumi destroy failed; see above. The remaining resources are still in the stack.");
  }
  const { size } = await idsAtSandbox();
  await pulumi.read(["stack", "rm", "--yes", "--stack", stackName]);
  removeStack();
  return size;
}
