import { join } from "node:path";
import { cacheFolder, install, installed } from "./cache.mjs";

/**
 * Finds programs in the cache or builds them with Go, and returns their folder.
 *
 * @param {object} task
 * @param {string} task.name
 * @param {string} task.version
 * @param {string} task.label what messages call it
 * @param {string} task.duration of the build
 * @param {readonly import("./go.mjs").GoProgram[]} task.programs
 * @param {import("./shared-go.mjs").SharedGo} task.go opened only for a build
 * @param {(line: string) => void} task.log
 * @param {NodeJS.ProcessEnv} [task.env]
 * @returns {Promise<string>}
 */
export async function ensureBuilt({ name, version, label, duration, programs, go, log, env = process.env }) {
  const folder = join(cacheFolder(env), `${name}-${version}-${process.platform}-${process.arch}`);
  const unit = { folder, label, manifest: `${name}.json`, files: programs.map((program) => program.name) };
  if (!installed(unit)) {
    const fill = async (/** @type {string} */ temporary) => {
      const opened = await go.open();
      log(`building ${label} with ${opened.version} (${duration}, once)`);
      for (const program of programs) await opened.build(program, temporary);
      return { version, source: "build" };
    };
    await install(unit, fill, log);
  }
  return folder;
}
