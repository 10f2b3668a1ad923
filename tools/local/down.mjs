import { existsSync } from "node:fs";
import { local } from "../setup/paths.mjs";
import { prepare } from "../setup/prepare.mjs";
import { Problem } from "../setup/problem.mjs";
import { Pulumi, removeStack, stackExists, stackName } from "./pulumi.mjs";
import { ensureSandbox, idsAtSandbox, removeSandboxData, stopSandbox } from "./sandbox.mjs";
import { resourcesOf, takeTurn } from "./start.mjs";

const log = (/** @type {string} */ line) => console.log(`• ${line}`);

/**
 * Destroys what `start` made and stops the sandbox.
 *
 * @returns {Promise<number>} exit code
 */
export async function down() {
  if (!existsSync(local)) {
    console.log("Nothing is here to take down.");
    return 0;
  }
  const release = await takeTurn();
  try {
    const had = stackExists();
    const left = had ? await destroy() : 0;
    const stopped = await stopSandbox();
    if (stopped) log("the sandbox is stopped");
    if (left > 0)
      log(`the sandbox keeps ${left} resources that are not the stack's; .local/sandbox has them`);
    else removeSandboxData();
    if (!had && !stopped) console.log("Nothing is here to take down.");
    return 0;
  } finally {
    release();
  }
}

/** @returns {Promise<number>} how many resources the sandbox has that are not the stack's */
async function destroy() {
  const engine = await prepare(log);
  await ensureSandbox(log);
  const pulumi = new Pulumi(engine);
  await pulumi.releaseLock(log);
  if ((await resourcesOf(pulumi)).length > 0) {
    log("pulumi destroy\n");
    const code = await pulumi.show(["destroy", "--yes", "--skip-preview", "--stack", stackName]);
    if (code !== 0)
      throw new Problem("pulumi destroy failed; see above. What is left is still in the stack.");
  }
  const { size } = await idsAtSandbox();
  await pulumi.read(["stack", "rm", "--yes", "--stack", stackName]);
  removeStack();
  return size;
}
