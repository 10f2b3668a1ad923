import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { parentOf } from "./tree.mjs";

/**
 * Returns the engines of a home directory and their plugins, identified by their environment. Linux only: elsewhere it
 * returns none.
 *
 * @param {string} home the engines' `PULUMI_HOME`
 * @returns {number[]}
 */
export function engineProcesses(home) {
  const pids = process.platform === "linux" ? readdirSync("/proc").map(Number).filter(Number.isInteger) : [];
  return pids.filter(
    (pid) => pid !== process.pid && readOf(pid, "environ").includes(`PULUMI_HOME=${home}\0`),
  );
}

/**
 * Returns the plugins among `engineProcesses` whose engine was killed: they do not exit on their own.
 *
 * @param {string} home
 * @returns {number[]}
 */
export function orphanedPlugins(home) {
  const all = new Set(engineProcesses(home));
  return [...all].filter((pid) => {
    for (let ancestor = pid; all.has(ancestor); ancestor = parentOf(ancestor) ?? 0) {
      if (basename(readOf(ancestor, "cmdline").split("\0")[0] ?? "") === "pulumi") return false;
    }
    return true;
  });
}

/** @param {number} pid @param {"environ" | "cmdline"} what */
function readOf(pid, what) {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "utf8");
  } catch {
    // It has exited, or is another user's.
    return "";
  }
}
