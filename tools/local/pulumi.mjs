import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { engineEnvironment } from "../engine/environment.mjs";
import { orphanedPlugins } from "../process/engine-processes.mjs";
import { run } from "../process/run.mjs";
import { isAlive, killTree, signal } from "../process/tree.mjs";
import { local } from "../setup/paths.mjs";
import { Problem } from "../setup/problem.mjs";
import { asArgument, quickstart, removeProjectFiles, writeProjectFile } from "./projects.mjs";

/** @typedef {import("./projects.mjs").Project} Project */

const state = join(local, "state");
const home = join(local, "pulumi-home");
const passphrase = join(local, "passphrase");

/** Returns whether a project's local stack has a state, with or without resources. */
export function stackExists({ name, stack } = quickstart) {
  return existsSync(join(state, ".pulumi", "stacks", name, `${stack}.json`));
}

/**
 * Checks that a project was started.
 *
 * @param {Project} [project]
 * @throws {Problem} if it has no local stack
 */
export function requireStack(project = quickstart) {
  if (stackExists(project)) return;
  const { name } = project;
  throw new Problem(`There is no local stack of ${name} yet. Run npm start${asArgument(name)} first.`);
}

/**
 * Returns the stacks in the local state. Not all are from `npm start`, and some may be of examples that this checkout
 * does not have.
 *
 * @returns {{ project: string, stack: string }[]}
 */
export function localStacks() {
  const folder = join(state, ".pulumi", "stacks");
  const projects = existsSync(folder) ? readdirSync(folder) : [];
  return projects.flatMap((project) =>
    readdirSync(join(folder, project))
      .filter((name) => name.endsWith(".json"))
      .map((name) => ({ project, stack: name.slice(0, -".json".length) })),
  );
}

/** Removes the local state, its engine's home and its passphrase. */
export function removeStacks() {
  for (const path of [state, home, passphrase]) rmSync(path, { recursive: true, force: true });
  removeProjectFiles();
}

/** The `pulumi` of the local set-up: a project of this checkout, with state, home and passphrase in `.local`. */
export class Pulumi {
  /**
   * @param {import("../engine/ensure.mjs").Engine} engine
   * @param {Project} [project]
   */
  constructor(engine, project = quickstart) {
    if (stackExists(project) && !existsSync(passphrase)) {
      throw new Problem(
        `${passphrase} is missing, and the state in ${state} is unreadable without it. Restore it, or remove ` +
          ".local to start anew; that also removes the sandbox's resources.",
      );
    }
    for (const folder of [state, home]) mkdirSync(folder, { recursive: true });
    if (!existsSync(passphrase)) makePassphrase();
    writeProjectFile(project);
    this.project = project;
    this.env = {
      ...engineEnvironment(engine.folder, process.env),
      PULUMI_HOME: home,
      PULUMI_BACKEND_URL: `file://${state}`,
      PULUMI_CONFIG_PASSPHRASE_FILE: passphrase,
    };
    this.program = engine.pulumi;
  }

  /**
   * Runs a command and returns its standard output.
   *
   * @param {string[]} args
   * @param {string} [input]
   */
  async read(args, input) {
    const options = { cwd: this.project.folder, env: this.env, ...(input !== undefined && { input }) };
    const { code, stdout, stderr, problem } = await run(
      this.program,
      ["--non-interactive", ...args],
      options,
    );
    if (code === 0) return stdout;
    throw new Problem(
      `pulumi ${args.slice(0, 2).join(" ")} failed:\n\n${problem ?? ""}${stderr}${stdout}`.trimEnd(),
    );
  }

  /**
   * Runs a command on this terminal. After an interrupt, the engine has a few seconds to finish its current work; then
   * it is killed, and the next run repairs the stack.
   *
   * @param {string[]} args
   * @param {NodeJS.ProcessEnv} [env]
   * @returns {Promise<number>} exit code
   */
  show(args, env = this.env) {
    return new Promise((resolve, reject) => {
      // A terminal sends the interrupt to the engine itself; a second one from here would kill it. Elsewhere the engine
      // runs in its own process group, so that it receives only the interrupt from here.
      const onTerminal = process.stdin.isTTY === true;
      const child = spawn(this.program, args, {
        cwd: this.project.folder,
        env,
        stdio: "inherit",
        detached: !onTerminal,
      });
      const handlers = /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]).map((name) => {
        const before = process.rawListeners(name);
        const stop = () => {
          process.off(name, stop);
          if (!child.pid) return;
          if (!(onTerminal && name === "SIGINT")) signal(child.pid, "SIGINT");
          setTimeout(() => child.pid && killTree(child.pid), 5_000).unref();
          child.once("close", () => process.exit(name === "SIGINT" ? 130 : 143));
        };
        process.removeAllListeners(name);
        process.on(name, stop);
        return () => {
          process.off(name, stop);
          for (const listener of before) process.on(name, /** @type {() => void} */ (listener));
        };
      });
      child.on("error", reject);
      child.on("close", (code) => {
        for (const restore of handlers) restore();
        resolve(code ?? 1);
      });
    });
  }

  /**
   * Waits for an engine of an earlier run, and removes the lock of a killed one.
   *
   * @param {(line: string) => void} log
   */
  async releaseLock(log) {
    let waiting = false;
    for (const deadline = Date.now() + 10 * 60_000; ; await sleep(500)) {
      const owners = lockOwners(this.project);
      const dead = owners.find(({ pid, hostname: host }) => host === hostname() && !isAlive(pid));
      if (dead) {
        log("an earlier run was killed: removing its lock");
        for (const pid of orphanedPlugins(home)) signal(pid, "SIGKILL");
        await this.read(["cancel", "--yes", "--stack", this.project.stack]);
        return;
      }
      const [owner] = owners;
      if (!owner) return;
      const who = `process ${owner.pid} on ${owner.hostname}`;
      if (Date.now() > deadline)
        throw new Problem(`The stack is locked by a pulumi that does not exit: ${who}.`);
      if (!waiting) log(`a pulumi of an earlier run is still running (${who}); waiting for it`);
      waiting = true;
    }
  }
}

/**
 * @param {Project} project
 * @returns {{ pid: number, hostname: string }[]} the engines that hold the lock of its local stack
 */
function lockOwners({ name, stack }) {
  const folder = join(state, ".pulumi", "locks", "organization", name, stack);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  return names.flatMap((name) => {
    try {
      return [JSON.parse(readFileSync(join(folder, name), "utf8"))];
    } catch {
      // Released in between.
      return [];
    }
  });
}

/** Writes the passphrase atomically: a truncated one would look valid. */
function makePassphrase() {
  const temporary = `${passphrase}.${process.pid}`;
  writeFileSync(temporary, randomBytes(24).toString("base64url"), { mode: 0o600 });
  try {
    linkSync(temporary, passphrase);
  } finally {
    rmSync(temporary);
  }
}
