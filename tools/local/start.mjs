import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { lock } from "../process/lock.mjs";
import { local } from "../setup/paths.mjs";
import { prepare } from "../setup/prepare.mjs";
import { Problem } from "../setup/problem.mjs";
import { Pulumi, stackName } from "./pulumi.mjs";
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
 * Deploys the quickstart on a local sandbox, uses its resources and shows them.
 *
 * @returns {Promise<number>} exit code
 */
export async function start() {
  const engine = await prepare(log);
  const release = await lockStack();
  try {
    log(`Pulumi ${engine.version}`);
    await ensureSandbox(log);
    const pulumi = new Pulumi(engine);
    await pulumi.releaseLock(log);
    await pulumi.read(["stack", "select", "--create", stackName]);
    await configure(pulumi);
    await repair(pulumi);

    log("pulumi up\n");
    const code = await pulumi.show(["up", "--yes", "--skip-preview", "--stack", stackName]);
    if (code !== 0) throw new Problem("pulumi up failed; see above. Fix the cause and run npm start again.");
    await tour(await resourcesOf(pulumi));
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
  const present = JSON.parse(await pulumi.read(["config", "--json", "--stack", stackName]));
  const settings = {
    "cloudservices:baseUrl": { value: service.baseUrl },
    // Only this stack uses the sandbox, so a resource with a derived name is from an interrupted run.
    "cloudservices:adoptInterrupted": { value: "true" },
    "cloudservices:apiKey": { value: service.apiKey, secret: true },
    "quickstart:passcode": { value: randomBytes(6).toString("base64url"), secret: true },
    "quickstart:webhookSecret": { value: `whsec_${randomBytes(24).toString("base64")}`, secret: true },
  };
  for (const [key, setting] of Object.entries(settings)) {
    if (key in present) continue;
    const kind = "secret" in setting ? "--secret" : "--plaintext";
    // On standard input, because every user of the machine can read a command line.
    await pulumi.read(["config", "set", kind, key, "--stack", stackName], setting.value);
  }
}

/**
 * Refreshes the state after a killed run, or when the sandbox has lost resources of the state.
 *
 * @param {Pulumi} pulumi
 */
async function repair(pulumi) {
  const state = await pulumi.read(["stack", "export", "--show-secrets", "--stack", stackName]);
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
  const flags = ["--yes", "--skip-preview", "--clear-pending-creates", "--stack", stackName];
  const code = await pulumi.show(["refresh", ...flags]);
  if (code !== 0) throw new Problem("pulumi refresh failed; see above. npm run down removes everything.");
}

/** @param {Pulumi} pulumi */
export async function resourcesOf(pulumi) {
  return resourcesIn(await pulumi.read(["stack", "export", "--show-secrets", "--stack", stackName]));
}
