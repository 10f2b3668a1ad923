import { existsSync } from "node:fs";
import { local } from "../setup/paths.mjs";
import { prepare } from "../setup/prepare.mjs";
import { Problem } from "../setup/problem.mjs";
import { startedProjects } from "./projects.mjs";
import { Pulumi, removeStacks, stackExists } from "./pulumi.mjs";
import { countAtSandbox, ensureSandbox, hasSandboxData, removeSandboxData, stopSandbox } from "./sandbox.mjs";
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
    const started = startedProjects().filter((project) => stackExists(project));
    if (started.length > 0) await destroy(started);
    const resources = await countAtSandbox();
    const stopped = await stopSandbox();
    if (stopped) log("the sandbox is stopped");
    // Only the sandbox knows whether other stacks have resources in it.
    if (resources === 0) removeSandboxData();
    const left = hasSandboxData();
    if (left) {
      const what = resources === undefined ? "data, perhaps resources" : `${resources} resources`;
      log(`.local/sandbox keeps ${what} of other stacks; to delete them: rm -r .local/sandbox`);
    }
    if (started.length === 0 && !stopped && !left) console.log("There is nothing to take down.");
    return 0;
  } finally {
    release();
  }
}

/** @param {readonly import("./projects.mjs").Project[]} projects */
async function destroy(projects) {
  const engine = await prepare(log);
  await ensureSandbox(log);
  for (const project of projects) {
    const { name, stack } = project;
    const pulumi = new Pulumi(engine, project);
    await pulumi.releaseLock(log);
    if ((await resourcesOf(pulumi)).length > 0) {
      log(`pulumi destroy (${name})\n`);
      const code = await pulumi.show(["destroy", "--yes", "--skip-preview", "--stack", stack]);
      if (code !== 0)
        throw new Problem(
          "pulumi destroy failed; see above. The remaining resources are still in the stack.",
        );
    }
    await pulumi.read(["stack", "rm", "--yes", "--stack", stack]);
  }
  removeStacks();
}
