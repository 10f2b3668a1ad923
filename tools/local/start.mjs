import { join } from "node:path";
import { lock } from "../process/lock.mjs";
import { local } from "../setup/paths.mjs";
import { prepare } from "../setup/prepare.mjs";
import { Problem } from "../setup/problem.mjs";
import { projectNamed } from "./projects.mjs";
import { Pulumi, stackExists } from "./pulumi.mjs";
import { interruptedIn, resourcesIn } from "./resources.mjs";
import { ensureSandbox, idsAtSandbox, service } from "./sandbox.mjs";
import { forgetSettings, settingsOf, takeSettings } from "./settings.mjs";
import { tour } from "./tour.mjs";

const log = (/** @type {string} */ line) => console.log(`• ${line}`);

/** Locks the stacks and the sandbox: one run at a time uses them. */
export function lockStack(say = log) {
  return lock(join(local, "stack.lock"), (pid) =>
    say(`another run is in progress (process ${pid}); waiting for it`),
  );
}

/**
 * Deploys an example on a local sandbox, uses its resources and shows them.
 *
 * @param {string} [name] default: the quickstart
 * @returns {Promise<number>} exit code
 */
export async function start(name) {
  const project = projectNamed(name);
  const { stack } = project;
  const engine = await prepare(log);
  const release = await lockStack();
  try {
    log(`Pulumi ${engine.version}`);
    await ensureSandbox(log);
    const pulumi = new Pulumi(engine, project);
    await pulumi.releaseLock(log);
    if (!stackExists(project)) forgetSettings(project);
    await pulumi.read(["stack", "select", "--create", stack]);
    await configure(pulumi);
    await takeSettings(pulumi, log);
    await repair(pulumi);

    log("pulumi up\n");
    const code = await pulumi.show(["up", "--yes", "--skip-preview", "--stack", stack]);
    if (code !== 0)
      throw new Problem("pulumi up failed; see above. Fix the cause and run this command again.");
    await tour(project, await resourcesOf(pulumi));
    return 0;
  } finally {
    release();
  }
}

/**
 * Sets what the stack lacks: the service's address and key, and the secrets of the program.
 *
 * @param {Pulumi} pulumi
 */
async function configure(pulumi) {
  const { project } = pulumi;
  const present = await settingsOf(pulumi);
  const secrets = Object.entries(project.secrets).map(([key, makeUp]) => [
    `${project.name}:${key}`,
    makeUp(),
  ]);
  const settings = {
    "cloudservices:baseUrl": { value: service.baseUrl },
    // Only these stacks use the sandbox, so a resource with a derived name is from an interrupted run.
    "cloudservices:adoptInterrupted": { value: "true" },
    "cloudservices:apiKey": { value: service.apiKey, secret: true },
    ...Object.fromEntries(secrets.map(([key, value]) => [key, { value, secret: true }])),
  };
  for (const [key, setting] of Object.entries(settings)) {
    if (key in present) continue;
    const kind = "secret" in setting ? "--secret" : "--plaintext";
    // On standard input, because every user of the machine can read a command line.
    await pulumi.read(["config", "set", kind, key, "--stack", project.stack], setting.value);
  }
}

/**
 * Refreshes the state after a killed run, or when the sandbox has lost resources of the state.
 *
 * @param {Pulumi} pulumi
 */
async function repair(pulumi) {
  const { stack } = pulumi.project;
  const state = await pulumi.read(["stack", "export", "--show-secrets", "--stack", stack]);
  const known = resourcesIn(state).filter(({ kind }) => kind !== "BackupSchedule");
  const existing = known.length > 0 ? await idsAtSandbox() : new Set();
  const lost = known.filter(({ id }) => !existing.has(id));
  const interrupted = interruptedIn(state);
  if (lost.length === 0 && interrupted.length === 0) return;

  if (lost.length > 0)
    log(`the sandbox no longer has ${lost.map(({ kind, name }) => `${kind} ${name}`).join(", ")}`);
  if (interrupted.length > 0) log(`an earlier run was killed while working on ${interrupted.join(", ")}`);
  log("pulumi refresh first\n");
  // An interrupted creation is found by its name (adoptInterrupted), not by the pending operation.
  const flags = ["--yes", "--skip-preview", "--clear-pending-creates", "--stack", stack];
  const code = await pulumi.show(["refresh", ...flags]);
  if (code !== 0) throw new Problem("pulumi refresh failed; see above. npm run down removes everything.");
}

/** @param {Pulumi} pulumi */
export async function resourcesOf(pulumi) {
  const { stack } = pulumi.project;
  return resourcesIn(await pulumi.read(["stack", "export", "--show-secrets", "--stack", stack]));
}
