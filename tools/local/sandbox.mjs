import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { descendants, isAlive, signal } from "../process/tree.mjs";
import { local, root } from "../setup/paths.mjs";
import { Problem } from "../setup/problem.mjs";

/** Always the same port: resources remember their base URL. */
const port = 4780;
const address = `http://127.0.0.1:${port}`;

export const service = {
  baseUrl: `${address}/v1`,
  apiKey: "sandbox_local",
  control: `${address}/_sandbox`,
  smtpPort: port + 3,
};

const record = join(local, "sandbox.json");
const logFile = join(local, "sandbox.log");
const data = join(local, "sandbox");

/** @typedef {{ pid: number, startedAt: number }} Running */

/** @returns {Running | undefined} the running sandbox of this checkout */
function runningSandbox() {
  try {
    const running = JSON.parse(readFileSync(record, "utf8"));
    return isAlive(running.pid) ? running : undefined;
  } catch {
    return undefined;
  }
}

async function isResponding() {
  try {
    const response = await fetch(`${service.control}/clock`, { signal: AbortSignal.timeout(5_000) });
    return response.ok;
  } catch {
    return false;
  }
}

/** @returns {Promise<boolean>} whether any program listens on the port */
function portIsTaken() {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const finish = (/** @type {boolean} */ taken) => {
      socket.destroy();
      resolve(taken);
    };
    socket.setTimeout(2_000, () => finish(true));
    socket.on("connect", () => finish(true)).on("error", () => finish(false));
  });
}

/**
 * Starts the sandbox in the background, unless it is running. Its data is in `.local/sandbox`.
 *
 * @param {(line: string) => void} log
 */
export async function ensureSandbox(log) {
  const running = runningSandbox();
  if (running && (await isResponding())) {
    if (builtAt() <= running.startedAt) return;
    log("the sandbox was rebuilt since its start: restarting it with its data");
  }
  await stopSandbox();
  if (await portIsTaken()) {
    throw new Problem(
      `Port ${port} is in use by another program, perhaps the sandbox of another checkout. The sandbox needs this ` +
        "port: resources remember their address. Stop that program (npm run down in the other checkout) and run " +
        "this again.",
    );
  }
  mkdirSync(data, { recursive: true });
  const output = openSync(logFile, "w");
  const program = join(root, "sandbox", "dist", "cli.js");
  const flags = ["--port", String(port), "--smtp-port", String(service.smtpPort), "--data", data];
  const child = spawn(process.execPath, [program, ...flags], {
    cwd: root,
    detached: true,
    stdio: ["ignore", output, output],
  });
  child.unref();
  if (child.pid) writeFileSync(record, JSON.stringify({ pid: child.pid, startedAt: Date.now() }));
  const deadline = Date.now() + 30_000;
  while (!(await isResponding())) {
    if (child.exitCode !== null || Date.now() > deadline) {
      const lastLines = readFileSync(logFile, "utf8").trim().split("\n").slice(-10).join("\n");
      await stopSandbox();
      throw new Problem(`The sandbox did not start. Its log (${logFile}) ends with:\n\n${lastLines}`);
    }
    await sleep(50);
  }
  log(`the sandbox is running at ${service.baseUrl} (process ${child.pid}, log in ${logFile})`);
}

/** @returns {Promise<boolean>} whether a sandbox was running */
export async function stopSandbox() {
  const running = runningSandbox();
  if (running) {
    // The database server is a separate process. It must also end when the sandbox does not respond to SIGTERM.
    const all = [running.pid, ...(await descendants(running.pid))];
    signal(running.pid, "SIGTERM");
    const deadline = Date.now() + 15_000;
    while (all.some(isAlive) && Date.now() < deadline) await sleep(50);
    for (const pid of all) signal(pid, "SIGKILL");
  }
  rmSync(record, { force: true });
  return running !== undefined;
}

/** Returns whether a sandbox of this checkout has left data. */
export function hasSandboxData() {
  return existsSync(data);
}

/** Removes the data of the stopped sandbox. */
export function removeSandboxData() {
  rmSync(data, { recursive: true, force: true });
  rmSync(logFile, { force: true });
}

/** @returns {Promise<Set<string>>} ids of all resources in the account of the local stacks */
export async function idsAtSandbox() {
  return new Set((await resourcesAtSandbox("?tenant=local")).map(({ id }) => id));
}

/** @returns {Promise<number | undefined>} number of resources in all accounts, or undefined if no sandbox responds */
export async function countAtSandbox() {
  return runningSandbox() && (await isResponding()) ? (await resourcesAtSandbox()).length : undefined;
}

/** @returns {Promise<{ id: string }[]>} */
async function resourcesAtSandbox(query = "") {
  const response = await fetch(`${service.control}/resources${query}`);
  if (!response.ok)
    throw new Problem(`The sandbox cannot list its resources: ${response.status}. See ${logFile}.`);
  return /** @type {{ id: string }[]} */ (await response.json());
}

/** Returns the time of the sandbox's last build, in milliseconds. */
function builtAt() {
  const dist = join(root, "sandbox", "dist");
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".js"),
  );
  return Math.max(...files.map((name) => statSync(join(dist, name)).mtimeMs));
}
