import { existsSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { run } from "../process/run.mjs";
import { which } from "./on-path.mjs";
import { goVersion, isAtLeast } from "./version.mjs";

/**
 * A program to build.
 *
 * @typedef {object} GoProgram
 * @property {string} name
 * @property {string} module the folder of the Go module that pins its dependencies
 * @property {string} package
 * @property {string} [version] value of the engine's own version
 */

/** Ten times the 3 minutes of a build on two cores. */
const deadlineMs = 30 * 60_000;
const reportEveryMs = 15_000;

/** Go, with caches in a folder of its own. */
export class Go {
  /**
   * Finds Go on the PATH.
   *
   * @param {object} options
   * @param {string} options.scratch folder for everything that Go writes; removed by `close`
   * @param {NodeJS.ProcessEnv} options.env
   * @param {(line: string) => void} options.log
   */
  static async open({ scratch, env, log }) {
    const program = which("go", env);
    if (!program) throw new Error("no go on the PATH");
    mkdirSync(join(scratch, "tmp"), { recursive: true });
    try {
      const goEnv = environmentOf(scratch, env);
      const outcome = await run(program, ["env", "GOVERSION"], { env: goEnv, timeoutMs: 15_000 });
      const version = outcome.stdout.trim();
      if (outcome.code !== 0)
        throw new Error(`${program} does not run: ${outcome.problem ?? outcome.stderr.trim()}`);
      if (!isAtLeast(version, goVersion))
        throw new Error(`${program} is ${version}, older than ${goVersion}`);
      return new Go({ program, version, scratch, env: goEnv, log });
    } catch (error) {
      rmSync(scratch, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * @param {{ program: string, version: string, scratch: string, env: NodeJS.ProcessEnv, log: (line: string) => void }} found
   */
  constructor({ program, version, scratch, env, log }) {
    this.program = program;
    this.version = version;
    this.scratch = scratch;
    this.env = env;
    this.log = log;
  }

  /**
   * Builds a program into a folder.
   *
   * @param {GoProgram} program
   * @param {string} folder
   */
  async build(program, folder) {
    let modules = 0;
    let packages = 0;
    const report = setInterval(
      () =>
        this.log(`building ${program.name}: ${modules} modules downloaded, ${packages} packages compiled`),
      reportEveryMs,
    );
    const flags = ["-v", "-modcacherw", "-mod=readonly", "-buildvcs=false", "-trimpath"];
    const version = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";
    const linker = `-s -w${program.version ? ` -X ${version}=v${program.version}` : ""}`;
    const { code, stderr, problem } = await run(
      this.program,
      ["build", ...flags, "-ldflags", linker, "-o", join(folder, program.name), program.package],
      {
        cwd: program.module,
        env: this.env,
        timeoutMs: deadlineMs,
        onOutput: (text) => {
          for (const line of text.split("\n")) {
            if (line.startsWith("go: downloading")) modules += 1;
            else if (line !== "") packages += 1;
          }
        },
      },
    ).finally(() => clearInterval(report));
    if (code === 0) {
      this.log(`built ${program.name}`);
      return;
    }
    const lastLines = stderr
      .trim()
      .split("\n")
      .filter((line) => !line.startsWith("go: downloading"))
      .slice(-3);
    throw new Error(
      `go build of ${program.name} failed: ${[...(problem ? [problem] : []), ...lastLines].join("; ")}`,
    );
  }

  /**
   * Returns the folder of a downloaded dependency.
   *
   * @param {string} module the folder of the Go module that pins it
   * @param {string} dependency
   */
  async folderOf(module, dependency) {
    const output = await this.#run(module, ["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", dependency]);
    return output.trim();
  }

  /**
   * Completes `go.mod` and `go.sum`.
   *
   * @param {string} module the folder of the Go module
   */
  async tidy(module) {
    await this.#run(module, ["mod", "tidy"]);
  }

  /**
   * @param {string} folder
   * @param {readonly string[]} args
   */
  async #run(folder, args) {
    const options = { cwd: folder, env: this.env, timeoutMs: deadlineMs };
    const { code, stdout, stderr, problem } = await run(this.program, args, options);
    if (code !== 0) throw new Error(`go ${args.join(" ")} failed: ${problem ?? stderr.trim()}`);
    return stdout;
  }

  /** Removes everything that Go has written, except the programs. */
  close() {
    rmSync(this.scratch, { recursive: true, force: true });
  }
}

/**
 * Returns Go's environment. It keeps the user's settings for proxies and credentials, sends everything that Go writes
 * to `scratch`, and drops settings of other builds.
 *
 * @param {string} scratch
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
function environmentOf(scratch, env) {
  const { HOME: home = homedir(), XDG_CONFIG_HOME: configHome, GOENV, NETRC } = env;
  const config =
    process.platform === "darwin" ? join(home, "Library", "Application Support") : join(home, ".config");
  const netrc = join(home, ".netrc");
  const own = {
    GOENV: GOENV ?? join(configHome ?? config, "go", "env"),
    ...(existsSync(netrc) && { NETRC: NETRC ?? netrc }),
    HOME: scratch,
    XDG_CONFIG_HOME: join(scratch, "config"),
    XDG_CACHE_HOME: join(scratch, "cache"),
    GOPATH: join(scratch, "path"),
    GOMODCACHE: join(scratch, "modules"),
    GOCACHE: join(scratch, "build"),
    GOTMPDIR: join(scratch, "tmp"),
    GOTELEMETRY: "off",
    GOTOOLCHAIN: "local",
    GOWORK: "off",
    GOFLAGS: "",
    GO111MODULE: "on",
    CGO_ENABLED: "0",
    GOOS: undefined,
    GOARCH: undefined,
    GOEXPERIMENT: undefined,
  };
  return { ...env, ...own };
}
