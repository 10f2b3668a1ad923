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
 * What is installed together.
 *
 * @typedef {object} Unit
 * @property {string} folder
 * @property {string} label what messages call it
 * @property {string} manifest name of the file that describes the installation
 * @property {readonly string[]} files
 */

/**
 * Returns what is installed in a folder; `undefined` if nothing is, or if a file is missing or truncated.
 *
 * @param {Unit} unit
 * @returns {Manifest | undefined}
 */
export function installed({ folder, manifest: name, files }) {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, name), "utf8"));
    const complete = files.every((file) => statSync(join(folder, file)).size === manifest.files[file]);
    return complete ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Installs a unit atomically: `fill` writes into a temporary folder beside its folder, which is then renamed. An
 * interruption or a concurrent installation never leaves a partial folder.
 *
 * @param {Unit} unit
 * @param {(temporary: string) => Promise<{ version: string, source: string }>} fill
 * @param {(line: string) => void} log
 * @returns {Promise<Manifest>}
 */
export async function install(unit, fill, log) {
  const { folder, label } = unit;
  makeWritable(dirname(folder), label);
  const release = await lock(`${folder}.lock`, () =>
    log(`another run is installing ${label}; waiting for it`),
  );
  try {
    const already = installed(unit);
    if (already) return already;
    const temporary = openTemporary(folder);
    try {
      const { version, source } = await fill(temporary.path);
      const files = Object.fromEntries(
        unit.files.map((name) => [name, statSync(join(temporary.path, name)).size]),
      );
      const manifest = { version, source, files };
      writeFileSync(join(temporary.path, unit.manifest), `${JSON.stringify(manifest, null, 2)}\n`);
      return putInPlace(temporary.path, unit, manifest);
    } finally {
      temporary.dispose();
    }
  } finally {
    release();
  }
}

/**
 * Makes a temporary folder beside `path`, and removes those that killed runs left there. `dispose` removes it.
 *
 * @param {string} path
 */
export function openTemporary(path) {
  mkdirSync(dirname(path), { recursive: true });
  removeAbandoned(path);
  const temporary = `${path}.new-${process.pid}-${Date.now()}`;
  mkdirSync(temporary);
  return { path: temporary, dispose: keepAlive(temporary) };
}

/** The cache is not writable. */
class CacheError extends Error {
  /** @override */
  name = "CacheError";
}

/** @param {string} folder @param {string} label */
function makeWritable(folder, label) {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : error;
    throw new CacheError(
      `Cannot install ${label} into ${folder} (${code}). Set CLOUDSERVICES_ENGINE_CACHE to a writable folder.`,
    );
  }
}

/**
 * @param {string} temporary
 * @param {Unit} unit
 * @param {Manifest} manifest
 */
function putInPlace(temporary, unit, manifest) {
  const { folder } = unit;
  // An existing folder is either broken or was just installed by another run. Never remove a complete one.
  const already = installed(unit);
  if (already) return already;
  if (existsSync(folder)) renameSync(folder, `${temporary}-broken`);
  renameSync(temporary, folder);
  rmSync(`${temporary}-broken`, { recursive: true, force: true });
  return manifest;
}

/**
 * Removes what killed runs left beside `folder`.
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
