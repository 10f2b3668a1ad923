import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { ensureEngine } from "../engine/ensure.mjs";
import { lock } from "../process/lock.mjs";
import { build } from "./build.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { local } from "./paths.mjs";

/**
 * Makes a checkout ready to run: dependencies, build, engine. What is ready is left alone.
 *
 * @param {(line: string) => void} log
 * @returns {Promise<import("../engine/ensure.mjs").Engine>}
 */
export async function prepare(log) {
  mkdirSync(local, { recursive: true });
  const release = await lock(join(local, "setup.lock"), (pid) =>
    log(`another set-up is at work (process ${pid}); waiting`),
  );
  try {
    await ensureDependencies(log);
    await build(log);
    return await ensureEngine({ log });
  } finally {
    release();
  }
}
