import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "./tree.mjs";

/** A lock or a temporary folder that was not touched for this long is abandoned. */
const abandonedAfterMs = 30_000;
const touchEveryMs = 2_000;

/**
 * Waits for a lock, then holds it until it is released or this process ends. The lock of a dead owner is taken over.
 * Two processes may hold it for a moment, so it only avoids duplicate work and interference; anything critical must be
 * atomic as well.
 *
 * @param {string} path
 * @param {(owner: number | undefined) => void} onWait called once, with the owner's process id, if the lock is held
 * @returns {Promise<() => void>} releases it
 */
export async function lock(path, onWait) {
  let waiting = false;
  for (;;) {
    try {
      writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: "wx" });
      return keepAlive(path);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    if (isAbandoned(path) || !ownerLives(path)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!waiting) onWait(ownerOf(path)?.pid);
    waiting = true;
    await sleep(300);
  }
}

/**
 * Returns whether a file or folder is abandoned: not touched for a long time.
 *
 * @param {string} path
 */
export function isAbandoned(path) {
  try {
    return Date.now() - statSync(path).mtimeMs > abandonedAfterMs;
  } catch {
    return false;
  }
}

/** @param {string} path @returns {{ pid: number, host: string } | undefined} */
function ownerOf(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    // Half written, or just removed.
    return undefined;
  }
}

/** @param {string} path */
function ownerLives(path) {
  const owner = ownerOf(path);
  // For another machine's process, or an unknown one, only the time of the last touch counts.
  return !owner || owner.host !== hostname() || isAlive(owner.pid);
}

/**
 * Touches a file or folder regularly, and removes it when released or when this process exits.
 *
 * @param {string} path
 * @returns {() => void}
 */
export function keepAlive(path) {
  const touch = setInterval(() => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // Renamed into place.
    }
  }, touchEveryMs);
  touch.unref();
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.on("exit", remove);
  return () => {
    clearInterval(touch);
    process.off("exit", remove);
    remove();
  };
}
