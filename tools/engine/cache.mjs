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
import { isAbandoned, keepAlive, lock } from "../process/lock.mjs";
import { isAlive } from "../process/tree.mjs";
import { engineFiles } from "./on-path.mjs";

/**
 * Returns the folder for installed engines: `CLOUDSERVICES_ENGINE_CACHE`, or `pulumi-cloudservices` in the platform's
 * cache folder.
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
  // The XDG specification says to ignore a relative path.
  if (xdg && isAbsolute(xdg)) return join(xdg, "pulumi-cloudservices");
  return platform === "darwin"
    ? join(home, "Library", "Caches", "pulumi-cloudservices")
    : join(home, ".cache", "pulumi-cloudservices");
}

/** @typedef {{ version: string, source: string, files: Record<string, number> }} Manifest */

/**
 * Returns what is installed in a folder; `undefined` if nothing is, or if a file is missing or truncated.
 *
 * @param {string} folder
 * @returns {Manifest | undefined}
 */
export function installedIn(folder) {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, "engine.json"), "utf8"));
    const complete = engineFiles.every((name) => statSync(join(folder, name)).size === manifest.files[name]);
    return complete ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Installs into `folder` atomically: `fill` writes into a temporary folder beside it, which is then renamed. An
 * interruption or a concurrent installation never leaves a partial folder.
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

/** The cache is not writable. */
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
      `The engine cannot be installed into ${folder} (${code}). Set CLOUDSERVICES_ENGINE_CACHE to a writable folder.`,
    );
  }
}

/**
 * @param {string} temporary
 * @param {string} folder
 * @param {Manifest} manifest
 */
function putInPlace(temporary, folder, manifest) {
  // An existing folder is either broken or was just installed by another run. Never remove a complete one.
  const already = installedIn(folder);
  if (already) return already;
  if (existsSync(folder)) renameSync(folder, `${temporary}-broken`);
  renameSync(temporary, folder);
  rmSync(`${temporary}-broken`, { recursive: true, force: true });
  return manifest;
}

/**
 * Removes what killed runs left beside `folder`. Call it only while holding the lock.
 *
 * @param {string} folder
 */
function removeAbandoned(folder) {
  const prefix = `${basename(folder)}.new-`;
  for (const name of readdirSync(dirname(folder))) {
    if (!name.startsWith(prefix)) continue;
    const path = join(dirname(folder), name);
    if (isAbandoned(path) || !isAlive(Number.parseInt(name.slice(prefix.length), 10))) {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
    }
  }
}
