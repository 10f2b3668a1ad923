import { readdirSync, readFileSync } from "node:fs";
import { run } from "./run.mjs";

/**
 * Returns all descendants of a process, the nearest first. The engine starts its plugins in their own process groups,
 * so killing its group alone would leave them behind.
 *
 * @param {number} pid
 * @returns {Promise<number[]>}
 */
export async function descendants(pid) {
  const parents = process.platform === "linux" ? parentsFromProc() : await parentsFromPs();
  const found = [pid];
  for (const known of found) {
    for (const [child, parent] of parents) if (parent === known) found.push(child);
  }
  return found.slice(1);
}

/** @returns {Map<number, number>} the parent of each process. Slim containers have no `ps`. */
function parentsFromProc() {
  const parents = new Map();
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) && statOf(Number(name));
    if (stat) parents.set(Number(name), stat.parent);
  }
  return parents;
}

/** @param {number} pid @returns {{ state: string, parent: number } | undefined} from /proc */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // "pid (name) state parent …", where the name may contain blanks and brackets.
    const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/**
 * Returns the parent of a process. Linux only.
 *
 * @param {number} pid
 */
export function parentOf(pid) {
  return statOf(pid)?.parent;
}

/** @returns {Promise<Map<number, number>>} */
async function parentsFromPs() {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid="]);
  const rows = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return new Map(rows.map(([pid = 0, parent = 0]) => [pid, parent]));
}

/**
 * Kills a process and its descendants.
 *
 * @param {number} pid
 */
export async function killTree(pid) {
  for (const one of [pid, ...(await descendants(pid))]) signal(one, "SIGKILL");
}

/**
 * Sends a signal to a process; ignores one that has exited.
 *
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has exited.
  }
}

/**
 * Returns whether a process of this machine is alive. A zombie is not; in containers without an init process, zombies
 * stay.
 *
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || statOf(pid)?.state !== "Z";
  } catch (error) {
    // EPERM: it is alive, and another user's.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
