import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ensureEngine } from "../engine/ensure.mjs";
import { lock } from "../process/lock.mjs";
import { build } from "./build.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { local } from "./paths.mjs";

/**
 * Makes a checkout ready to run: dependencies, build, engine. Skips what is ready.
 *
 * @param {(line: string) => void} log
 * @returns {Promise<import("../engine/ensure.mjs").Engine>}
 */
export function prepare(log) {
  return alone(log, async () => {
    await ensureDependencies(log);
    await build(log);
    return ensureEngine({ log });
  });
}

/**
 * Makes a checkout ready for the unit tests, which need no engine: dependencies and build.
 *
 * @param {(line: string) => void} log
 */
export function preparePackages(log) {
  return alone(log, async () => {
    await ensureDependencies(log);
    await build(log);
  });
}

/**
 * Runs one set-up of this checkout at a time.
 *
 * @template T
 * @param {(line: string) => void} log
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
async function alone(log, work) {
  mkdirSync(local, { recursive: true });
  const release = await lock(join(local, "setup.lock"), (pid) =>
    log(`another set-up is running (process ${pid}); waiting`),
  );
  try {
    return await work();
  } finally {
    release();
  }
}
