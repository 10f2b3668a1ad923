import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { lives } from "./tree.mjs";

/** A lock or a half-made folder whose owner has not touched it for so long belongs to nobody. */
const abandonedAfterMs = 30_000;
const touchEveryMs = 2_000;

/**
 * Waits until nobody else holds the lock, then holds it until it is given back or this process ends. The lock of
 * an owner that has died is taken over. It spares double work and keeps runs out of each other's way; what must
 * not break even if two held it for a moment has to be atomic by itself.
 *
 * @param {string} path
 * @param {(owner: number | undefined) => void} onWait called once, with the owner's process id, when it is taken
 * @returns {Promise<() => void>} gives it back
 */
export async function lock(path, onWait) {
  let told = false;
  for (;;) {
    try {
      writeFileSync(path, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: "wx" });
      return keepAlive(path);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    if (isUntouched(path) || !ownerLives(path)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!told) onWait(ownerOf(path)?.pid);
    told = true;
    await sleep(300);
  }
}

/**
 * Whether nobody has touched a file or folder for so long that it is nobody's.
 *
 * @param {string} path
 */
export function isUntouched(path) {
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
    // Half written, or just gone.
    return undefined;
  }
}

/** @param {string} path */
function ownerLives(path) {
  const owner = ownerOf(path);
  // Of another machine's process, and of one that is unknown, the time of the last touch tells.
  return !owner || owner.host !== hostname() || lives(owner.pid);
}

/**
 * Touches a file or folder while this process works on it, and removes it at the end of either.
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
