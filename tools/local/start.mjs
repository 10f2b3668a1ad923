import { join } from "node:path";
import { lock } from "../process/lock.mjs";
import { local } from "../setup/paths.mjs";
import { prepare } from "../setup/prepare.mjs";
import { Problem } from "../setup/problem.mjs";
import { projectNamed } from "./projects.mjs";
import { Pulumi } from "./pulumi.mjs";
import { interruptedIn, resourcesIn } from "./resources.mjs";
import { ensureSandbox, idsAtSandbox, service } from "./sandbox.mjs";
import { tour } from "./tour.mjs";

const log = (/** @type {string} */ line) => console.log(`• ${line}`);

/** Locks the stack and the sandbox: one run at a time uses them. */
export function lockStack() {
  return lock(join(local, "stack.lock"), (pid) =>
    log(`another run is in progress (process ${pid}); waiting for it`),
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
    await pulumi.read(["stack", "select", "--create", stack]);
    await configure(pulumi);
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
 * Sets what the stack lacks: the service's address and key, and the secrets of the program. Takes the other settings
 * from the example's settings file.
 *
 * @param {Pulumi} pulumi
 */
export async function configure(pulumi) {
  const { project } = pulumi;
  const present = await configOf(pulumi);
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
  if (project.settings) await takeSettings(pulumi, project.settings, present);
}

/**
 * Gives the stack the settings of a file. The engine keeps its own copy, because it writes secrets to it.
 *
 * @param {Pulumi} pulumi
 * @param {string} file
 * @param {Settings} present
 */
async function takeSettings(pulumi, file, present) {
  const { name, stack } = pulumi.project;
  const wanted = await configOf(pulumi, file);
  const changed = Object.entries(wanted).filter(([key, { value }]) => value !== present[key]?.value);
  if (changed.length > 0) {
    const pairs = changed.flatMap(([key, { value = "" }]) => ["--plaintext", `${key}=${value}`]);
    await pulumi.read(["config", "set-all", ...pairs, "--stack", stack]);
  }
  const removed = Object.entries(present)
    .filter(([key, { secret }]) => key.startsWith(`${name}:`) && !secret && !(key in wanted))
    .map(([key]) => key);
  if (removed.length > 0) await pulumi.read(["config", "rm-all", ...removed, "--stack", stack]);
}

/**
 * @typedef {Record<string, { value?: string, secret?: boolean }>} Settings
 *
 * @param {Pulumi} pulumi
 * @param {string} [file] default: the local stack's
 * @returns {Promise<Settings>}
 */
async function configOf(pulumi, file) {
  const from = file === undefined ? [] : ["--config-file", file];
  return JSON.parse(await pulumi.read(["config", "--json", "--stack", pulumi.project.stack, ...from]));
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
