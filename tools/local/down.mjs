import { existsSync } from "node:fs";
import { local } from "../setup/paths.mjs";
import { prepare } from "../setup/prepare.mjs";
import { Problem } from "../setup/problem.mjs";
import { asArgument, isExample, projectNamed } from "./projects.mjs";
import { localStacks, Pulumi, removeStacks } from "./pulumi.mjs";
import { countAtSandbox, ensureSandbox, hasSandboxData, removeSandboxData, stopSandbox } from "./sandbox.mjs";
import { lockStack, resourcesOf } from "./start.mjs";

/**
 * @typedef {import("./projects.mjs").Project} Project
 * @typedef {{ project: string, stack: string }} LocalStack
 */

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
    const started = localStacks()
      .filter(isStarted)
      .map(({ project }) => projectNamed(project));
    const failed = started.length > 0 ? await destroy(started) : [];
    const stacks = localStacks();
    if (stacks.length === 0) removeStacks();
    const others = stacks.filter((stack) => !isStarted(stack));
    if (others.length > 0) log(othersRemain(others));

    const resources = await countAtSandbox();
    const stopped = await stopSandbox();
    if (stopped) log("the sandbox is stopped");
    // Only the sandbox knows whether other stacks have resources in it.
    if (resources === 0) removeSandboxData();
    const left = hasSandboxData();
    if (failed.length > 0) throw new Problem(destroyFailed(failed));
    if (left) {
      const what = resources === undefined ? "data, perhaps resources" : `${resources} resources`;
      log(`.local/sandbox keeps ${what} of other stacks; to delete them: rm -r .local/sandbox`);
    }
    if (started.length === 0 && stacks.length === 0 && !stopped && !left)
      console.log("There is nothing to take down.");
    return 0;
  } finally {
    release();
  }
}

/**
 * @param {readonly Project[]} projects
 * @returns {Promise<Project[]>} those whose stack remains
 */
async function destroy(projects) {
  const engine = await prepare(log);
  await ensureSandbox(log);
  return failuresOf(projects, (project) => destroyStack(new Pulumi(engine, project)));
}

/** @param {Pulumi} pulumi */
async function destroyStack(pulumi) {
  const { name, stack } = pulumi.project;
  await pulumi.releaseLock(log);
  if ((await resourcesOf(pulumi)).length > 0) {
    log(`pulumi destroy (${name})\n`);
    const code = await pulumi.show(["destroy", "--yes", "--skip-preview", "--stack", stack]);
    if (code !== 0) throw new Problem(`pulumi destroy (${name}) failed.`);
  }
  await pulumi.read(["stack", "rm", "--yes", "--stack", stack]);
}

/**
 * Works on each project, also after a problem with an earlier one.
 *
 * @param {readonly Project[]} projects
 * @param {(project: Project) => Promise<void>} work
 * @returns {Promise<Project[]>} those with a problem, which is reported
 */
export async function failuresOf(projects, work) {
  /** @type {Project[]} */
  const failed = [];
  for (const project of projects) {
    try {
      await work(project);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      console.error(`\n${error.message}\n`);
      failed.push(project);
    }
  }
  return failed;
}

/**
 * Returns which stacks remain, and what to do.
 *
 * @param {readonly Project[]} projects
 */
export function destroyFailed(projects) {
  const unprotect = projects.map(
    ({ name, stack }) =>
      `    npm run pulumi --${asArgument(name)} state unprotect --all --yes --stack ${stack}`,
  );
  return [
    `Not destroyed: ${projects.map(({ name }) => name).join(", ")}; see above. .local keeps the state and the sandbox's data.`,
    "  If resources are protected:",
    ...unprotect,
    "  Then, or after another fix: npm run down",
    "  To give up the stacks and all resources in the sandbox: rm -r .local",
  ].join("\n");
}

/** Returns whether `npm start` of this checkout makes a stack. */
function isStarted(/** @type {LocalStack} */ { project, stack }) {
  return isExample(project) && projectNamed(project).stack === stack;
}

/**
 * Returns what remains, and how to remove it.
 *
 * @param {readonly LocalStack[]} stacks that `npm start` does not make
 */
function othersRemain(stacks) {
  const lines = stacks.map(({ project, stack }) => {
    if (!isExample(project))
      return `${project}/${stack}: check out a commit with examples/${project}, and run npm run down`;
    const name = asArgument(project);
    const destroy = `npm run pulumi --${name} destroy --yes --remove --stack ${stack}`;
    return `${project}/${stack}: npm start${name} && ${destroy} && npm run down`;
  });
  return [
    "other stacks remain, with their state and passphrase in .local. To destroy them:",
    ...lines.map((line) => `    ${line}`),
    "  To forget them and all resources in the sandbox: rm -r .local",
  ].join("\n");
}
