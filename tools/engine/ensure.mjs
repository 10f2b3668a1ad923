import { chmodSync, copyFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { buildEngine } from "./build.mjs";
import { cacheFolder, install, installed } from "./cache.mjs";
import { defaultLimits, downloadRelease } from "./download.mjs";
import { engineFiles, engineOnPath, versionOf } from "./on-path.mjs";
import { engineVersion } from "./version.mjs";
import { firstWay } from "./ways.mjs";

/**
 * A Pulumi engine that is ready to run.
 *
 * @typedef {object} Engine
 * @property {string} folder contains `pulumi`, `pulumi-language-nodejs` and `pulumi-resource-pulumi-nodejs`; put it
 *   first on the PATH
 * @property {string} pulumi path of the program
 * @property {string} version
 * @property {"PATH" | "download" | "build"} source
 */

/** No engine was found or installed. The message lists what was tried and what to do. */
export class NoEngineError extends Error {
  /** @param {string[]} tried @param {string} minimum @param {NodeJS.ProcessEnv} env */
  constructor(tried, minimum, env) {
    const { HTTPS_PROXY, https_proxy = HTTPS_PROXY } = env;
    super(
      [
        `No Pulumi engine found or installed (Pulumi ${minimum} or newer is needed). Tried:`,
        ...tried.map((line) => `  - ${line}`),
        `Install Pulumi (https://www.pulumi.com/docs/install/) so that "pulumi" is on the PATH,`,
        "or install Go 1.25 or newer (https://go.dev/dl/) with access to a Go module proxy; then run this again.",
        ...(https_proxy ? ["(The download does not use HTTPS_PROXY; the other two ways do.)"] : []),
      ].join("\n"),
    );
    this.name = "NoEngineError";
  }
}

/**
 * Finds the Pulumi engine or gets it: the `pulumi` on the PATH if it is new enough and complete, else the cache, else
 * the official download, else a build with Go. Only the first use of a version takes time.
 *
 * @param {object} options
 * @param {(line: string) => void} options.log receives a line for each step
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.releases] address of the folder of official releases
 * @param {import("./download.mjs").SpeedLimits} [options.limits]
 * @returns {Promise<Engine>}
 * @throws {NoEngineError} if every way fails
 */
export async function ensureEngine(options) {
  const { log, env = process.env, limits = defaultLimits } = options;
  const releases = options.releases ?? "https://get.pulumi.com/releases/sdk";

  const onPath = await engineOnPath(engineVersion, env);
  if (!("refused" in onPath)) return { ...onPath, source: "PATH" };

  const folder = join(cacheFolder(env), `engine-v${engineVersion}-${process.platform}-${process.arch}`);
  const unit = { folder, label: "the engine", manifest: "engine.json", files: engineFiles };
  const ready = installed(unit);
  if (ready) return engineIn(folder, ready);

  const tried = [`PATH: ${onPath.refused}`];
  log(`${onPath.refused}; installing Pulumi ${engineVersion} into ${folder}`);
  const fill = async (/** @type {string} */ temporary) => {
    const version = async () => {
      const found = await versionOf(join(temporary, "pulumi"), env);
      if ("refused" in found) throw new Error(`the installed pulumi ${found.refused}`);
      return found.version;
    };
    const ways = {
      download: async () => {
        const files = engineFiles;
        await downloadRelease({ version: engineVersion, folder: temporary, files, releases, log, limits });
        return await version();
      },
      build: async () => {
        await buildEngine({ version: engineVersion, folder: temporary, env, log });
        addDynamicProvider(temporary);
        return await version();
      },
    };
    const filled = await firstWay(ways, { folder: temporary, tried, log });
    if (!filled) throw new NoEngineError(tried, engineVersion, env);
    return { version: filled.value, source: filled.way };
  };
  const found = await install(unit, fill, log);
  log(`Pulumi ${found.version} is ready`);
  return engineIn(folder, found);
}

/**
 * @param {string} folder
 * @param {import("./cache.mjs").Manifest} manifest
 * @returns {Engine}
 */
function engineIn(folder, { version, source }) {
  return {
    folder,
    pulumi: join(folder, "pulumi"),
    version,
    source: source === "build" ? "build" : "download",
  };
}

/**
 * Copies the launcher of dynamic providers, a shell script in the npm package, beside a built engine.
 *
 * @param {string} folder
 */
function addDynamicProvider(folder) {
  const name = "pulumi-resource-pulumi-nodejs";
  const from = join(dirname(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json")), name);
  if (!existsSync(from)) throw new Error(`the installed package @pulumi/pulumi has no ${name}`);
  copyFileSync(from, join(folder, name));
  chmodSync(join(folder, name), 0o755);
}
