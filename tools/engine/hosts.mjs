import { chmodSync, copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../process/run.mjs";
import { cacheFolder, install, installed } from "./cache.mjs";
import { defaultLimits, downloadRelease } from "./download.mjs";
import { engineVersion } from "./version.mjs";
import { firstWay } from "./ways.mjs";

/** @param {string} name */
const moduleAt = (name) => fileURLToPath(new URL(name, import.meta.url));
const sdk = "github.com/pulumi/pulumi/sdk/v3";

/**
 * How to build each language host: the last version that is still available in a Go module. `go.sum` in each folder
 * pins the content of every module.
 */
const builds = {
  python: {
    version: "3.68.0",
    module: moduleAt("language"),
    package: `${sdk}/python/cmd/pulumi-language-python`,
    /** A script beside the host, which runs the program. */
    script: { module: sdk, path: "python/cmd/pulumi-language-python-exec" },
  },
  go: {
    version: "3.66.0",
    module: moduleAt("language-go"),
    package: `${sdk}/go/pulumi-language-go`,
    script: undefined,
  },
  yaml: {
    version: "1.28.0",
    module: moduleAt("../languages"),
    package: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
    script: undefined,
  },
};

/** @typedef {keyof typeof builds} HostName */

/** The names of the language hosts. */
export const hostNames = /** @type {HostName[]} */ (Object.keys(builds));

/**
 * A language host: the plugin that runs programs in a language.
 *
 * @typedef {object} Host
 * @property {HostName} name
 * @property {string} folder
 * @property {string} program path of the host
 * @property {string} [version] unknown beside an engine
 * @property {"engine" | "download" | "build"} source `engine`: it lies beside the engine, which finds it there
 */

/** A language host was not found or installed. */
export class NoHostError extends Error {
  /** @param {HostName} name @param {string[]} tried */
  constructor(name, tried) {
    super([`No Pulumi language host for ${name}. Tried:`, ...tried.map((line) => `  - ${line}`)].join("\n"));
    this.name = "NoHostError";
    this.tried = tried;
  }
}

/**
 * Finds a language host or gets it: the one beside the engine, else the cache, else the official download of the
 * engine's version, else a build with Go.
 *
 * @param {HostName} name
 * @param {object} options
 * @param {string} options.engineFolder folder of the engine that will use it
 * @param {import("./shared-go.mjs").SharedGo} options.go
 * @param {(line: string) => void} options.log receives a line for each step
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.releases] address of the folder of official releases
 * @param {import("./download.mjs").SpeedLimits} [options.limits]
 * @returns {Promise<Host>}
 * @throws {NoHostError} if every way fails
 */
export async function ensureHost(name, options) {
  const { engineFolder, go, log, env = process.env, limits = defaultLimits } = options;
  const releases = options.releases ?? "https://get.pulumi.com/releases/sdk";
  const host = `pulumi-language-${name}`;
  const { script } = builds[name];
  const files = script ? [host, `${host}-exec`] : [host];

  if (files.every((file) => existsSync(join(engineFolder, file)))) {
    return { name, folder: engineFolder, program: join(engineFolder, host), source: "engine" };
  }
  const folder = join(cacheFolder(env), `${name}-for-v${engineVersion}-${process.platform}-${process.arch}`);
  const unit = { folder, label: `the language host for ${name}`, manifest: "host.json", files };
  const ready = installed(unit);
  if (ready) return hostIn(name, folder, ready);

  const tried = [`engine: no ${host} beside it in ${engineFolder}`];
  log(`no ${host} beside the engine; installing it into ${folder}`);
  const fill = async (/** @type {string} */ temporary) => {
    const ways = {
      download: async () => {
        await downloadRelease({ version: engineVersion, folder: temporary, files, releases, log, limits });
        return engineVersion;
      },
      build: () => build(name, { go, folder: temporary, log }),
    };
    const checked = Object.fromEntries(
      Object.entries(ways).map(([way, get]) => [
        way,
        async () => {
          const version = await get();
          await check(join(temporary, host), env);
          return version;
        },
      ]),
    );
    const filled = await firstWay(checked, { folder: temporary, tried, log });
    if (!filled) throw new NoHostError(name, tried);
    return { version: filled.value, source: filled.way };
  };
  const found = await install(unit, fill, log);
  log(`${host} ${found.version} is ready`);
  return hostIn(name, folder, found);
}

/**
 * @param {HostName} name
 * @param {{ go: import("./shared-go.mjs").SharedGo, folder: string, log: (line: string) => void }} task
 */
async function build(name, { go: shared, folder, log }) {
  const { version, module, package: path, script } = builds[name];
  const host = `pulumi-language-${name}`;
  const go = await shared.open();
  log(`building ${host} ${version} with ${go.version} (1 to 2 minutes on two cores, once)`);
  await go.build({ name: host, module, package: path }, folder);
  if (script) {
    const target = join(folder, `${host}-exec`);
    copyFileSync(join(await go.folderOf(module, script.module), script.path), target);
    chmodSync(target, 0o755);
  }
  return version;
}

/**
 * Rejects a host that does not run on this machine.
 *
 * @param {string} program
 * @param {NodeJS.ProcessEnv} env
 */
async function check(program, env) {
  const { code, stderr, problem } = await run(program, ["-help"], { env, timeoutMs: 15_000 });
  if (code !== 0)
    throw new Error(`${program} does not run: ${problem ?? (stderr.trim() || `exit code ${code}`)}`);
}

/**
 * @param {HostName} name
 * @param {string} folder
 * @param {import("./cache.mjs").Manifest} manifest
 * @returns {Host}
 */
function hostIn(name, folder, { version, source }) {
  const program = join(folder, `pulumi-language-${name}`);
  return { name, folder, program, version, source: source === "build" ? "build" : "download" };
}
