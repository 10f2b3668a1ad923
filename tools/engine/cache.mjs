import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isUntouched, keepAlive, lock } from "../process/lock.mjs";
import { lives } from "../process/tree.mjs";
import { engineFiles } from "./on-path.mjs";

/**
 * The folder that keeps installed engines: `CLOUDSERVICES_ENGINE_CACHE`, or `pulumi-cloudservices` in the
 * platform's folder for caches.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Platform} [platform]
 */
export function cacheFolder(env, platform = process.platform) {
  const { CLOUDSERVICES_ENGINE_CACHE: chosen, XDG_CACHE_HOME: xdg, HOME: home = homedir() } = env;
  if (chosen) {
    if (!isAbsolute(chosen))
      throw new CacheError(`CLOUDSERVICES_ENGINE_CACHE must be an absolute path, not "${chosen}"`);
    return chosen;
  }
  // The convention says that a relative path is to be ignored.
  if (xdg && isAbsolute(xdg)) return join(xdg, "pulumi-cloudservices");
  return platform === "darwin"
    ? join(home, "Library", "Caches", "pulumi-cloudservices")
    : join(home, ".cache", "pulumi-cloudservices");
}

/** @typedef {{ version: string, source: string, files: Record<string, number> }} Manifest */

/**
 * What is installed in a folder; `undefined` when nothing is, or when a file is missing or cut short.
 *
 * @param {string} folder
 * @returns {Manifest | undefined}
 */
export function installedIn(folder) {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, "engine.json"), "utf8"));
    const whole = engineFiles.every((name) => statSync(join(folder, name)).size === manifest.files[name]);
    return whole ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Installs into `folder` so that it is there whole or not at all, whenever this is interrupted and however many
 * do it at once: `fill` writes into a folder beside it, which is then renamed.
 *
 * @param {string} folder
 * @param {(temporary: string) => Promise<{ version: string, source: string }>} fill
 * @param {(line: string) => void} log
 * @returns {Promise<Manifest>}
 */
export async function install(folder, fill, log) {
  makeWritable(dirname(folder));
  const release = await lock(`${folder}.lock`, () =>
    log("another run is installing the engine; waiting for it"),
  );
  try {
    const already = installedIn(folder);
    if (already) return already;
    removeAbandoned(folder);
    const temporary = `${folder}.new-${process.pid}-${Date.now()}`;
    mkdirSync(temporary);
    const dispose = keepAlive(temporary);
    try {
      const { version, source } = await fill(temporary);
      const files = Object.fromEntries(
        engineFiles.map((name) => [name, statSync(join(temporary, name)).size]),
      );
      const manifest = { version, source, files };
      writeFileSync(join(temporary, "engine.json"), `${JSON.stringify(manifest, null, 2)}\n`);
      return putInPlace(temporary, folder, manifest);
    } finally {
      dispose();
    }
  } finally {
    release();
  }
}

/** The cache cannot be written. */
class CacheError extends Error {
  /** @override */
  name = "CacheError";
}

/** @param {string} folder */
function makeWritable(folder) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new CacheError(
      `The engine cannot be kept in ${folder} (${code}). Let CLOUDSERVICES_ENGINE_CACHE name a folder that you may write to.`,
    );
  }
}

/**
 * @param {string} temporary
 * @param {string} folder
 * @param {Manifest} manifest
 */
function putInPlace(temporary, folder, manifest) {
  // What stands there is broken, or made by another run a moment ago; never remove a whole one.
  const already = installedIn(folder);
  if (already) return already;
  if (existsSync(folder)) renameSync(folder, `${temporary}-broken`);
  renameSync(temporary, folder);
  rmSync(`${temporary}-broken`, { recursive: true, force: true });
  return manifest;
}

/**
 * Removes what killed runs left beside `folder`. Only the owner of the lock may do so.
 *
 * @param {string} folder
 */
function removeAbandoned(folder) {
  const prefix = `${basename(folder)}.new-`;
  for (const name of readdirSync(dirname(folder))) {
    if (!name.startsWith(prefix)) continue;
    const path = join(dirname(folder), name);
    if (isUntouched(path) || !lives(Number.parseInt(name.slice(prefix.length), 10))) {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}
