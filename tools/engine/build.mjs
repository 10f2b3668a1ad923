import { existsSync, mkdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../process/run.mjs";
import { which } from "./on-path.mjs";
import { goVersion, isAtLeast } from "./version.mjs";

/**
 * The programs to build, each from its own module, because the language host is no longer part of the engine's.
 * `go.sum` in each folder pins the content of every module.
 */
const programs = [
  {
    name: "pulumi-language-nodejs",
    module: "language",
    package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
  },
  { name: "pulumi", module: "cli", package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi" },
];

/** Ten times the 3 minutes of a build on two cores. */
const deadlineMs = 30 * 60_000;
const reportEveryMs = 15_000;

/**
 * Builds the engine and its language host into a folder, with Go, from the Go module proxy.
 *
 * @param {object} task
 * @param {string} task.version
 * @param {string} task.folder
 * @param {NodeJS.ProcessEnv} task.env
 * @param {(line: string) => void} task.log
 */
export async function buildEngine({ version, folder, env, log }) {
  const go = which("go", env);
  if (!go) throw new Error("no go on the PATH");
  const scratch = join(folder, "go");
  mkdirSync(join(scratch, "tmp"), { recursive: true });
  try {
    const goEnv = environmentOf(scratch, env);
    const outcome = await run(go, ["env", "GOVERSION"], { env: goEnv, timeoutMs: 15_000 });
    const found = outcome.stdout.trim();
    if (outcome.code !== 0)
      throw new Error(`${go} does not run: ${outcome.problem ?? outcome.stderr.trim()}`);
    if (!isAtLeast(found, goVersion)) throw new Error(`${go} is ${found}, older than ${goVersion}`);

    log(`building pulumi ${version} with ${found} (about 3 minutes on two cores, once)`);
    for (const program of programs) await build(program, { go, version, folder, env: goEnv, log });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * @param {typeof programs[number]} program
 * @param {{ go: string, version: string, folder: string, env: NodeJS.ProcessEnv, log: (line: string) => void }} task
 */
async function build(program, { go, version, folder, env, log }) {
  let modules = 0;
  let packages = 0;
  const report = setInterval(
    () => log(`building ${program.name}: ${modules} modules downloaded, ${packages} packages compiled`),
    reportEveryMs,
  );
  const flags = ["-v", "-modcacherw", "-mod=readonly", "-buildvcs=false", "-trimpath"];
  const linker = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`;
  const { code, stderr, problem } = await run(
    go,
    ["build", ...flags, "-ldflags", linker, "-o", join(folder, program.name), program.package],
    {
      cwd: fileURLToPath(new URL(program.module, import.meta.url)),
      env,
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
    log(`built ${program.name}`);
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
