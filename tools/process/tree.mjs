import { readdirSync, readFileSync } from "node:fs";
import { run } from "./run.mjs";

/**
 * All processes that a process has started, directly or through others, the nearest first. The engine puts its
 * plugins into groups of their own, so that killing its group alone would leave them behind.
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

/** @param {number} pid @returns {{ state: string, parent: number } | undefined} Linux's own record of a process */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // "pid (name) state parent …", where the name may hold blanks and brackets.
    const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/**
 * The parent of a process of a Linux machine.
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
 * Kills a process and all that it has started.
 *
 * @param {number} pid
 */
export async function killTree(pid) {
  for (const one of [pid, ...(await descendants(pid))]) signal(one, "SIGKILL");
}

/**
 * Sends a signal to a process; one that has ended is no error.
 *
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

/**
 * Whether a process of this machine lives. One that has ended and that nobody has waited for does not; in
 * containers without an init process they stay for ever.
 *
 * @param {number} pid
 */
export function lives(pid) {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || statOf(pid)?.state !== "Z";
  } catch (error) {
    // EPERM: it lives, and is another user's.
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
