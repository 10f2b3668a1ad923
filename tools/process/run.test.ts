import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { engineProcesses, orphanedPlugins } from "./engine-processes.mjs";
import { lock } from "./lock.mjs";
import { run } from "./run.mjs";
import { descendants, isAlive, killTree, parentOf } from "./tree.mjs";

const longPoll = { timeout: 30_000 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "process-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const shell = (script: string, options = {}) => run("/bin/sh", ["-c", script], { cwd: folder, ...options });

describe("running a program", () => {
  it("returns its exit code and output", async () => {
    expect(await shell("read line; echo out $line; echo err >&2; exit 3", { input: "in\n" })).toEqual({
      code: 3,
      stdout: "out in\n",
      stderr: "err\n",
    });
  });

  it("explains a missing exit code", async () => {
    expect(await run("/does/not/exist", [])).toMatchObject({
      code: undefined,
      problem: expect.stringContaining("ENOENT"),
    });
    expect(await shell("kill -9 $$")).toMatchObject({ code: undefined, problem: "killed by SIGKILL" });
  });

  it("kills it and its children at its timeout or when aborted", async () => {
    const outcome = await shell("sleep 600 & echo $! > child; wait", { timeoutMs: 2_000 });
    expect(outcome).toMatchObject({ code: undefined, problem: "no exit within 2 s" });
    await expect
      .poll(() => isAlive(Number(readFileSync(join(folder, "child"), "utf8"))), longPoll)
      .toBe(false);
    expect(await shell("sleep 600", { signal: AbortSignal.timeout(50) })).toMatchObject({
      problem: "interrupted",
    });
  });
});

it("finds and kills the children of a process, also in other process groups", async () => {
  const script =
    "const {spawn}=require('child_process');const c=spawn('sleep',['600'],{detached:true});console.log(c.pid);setInterval(()=>{},1e6)";
  let pid = 0;
  const ended = shell(`echo $$; exec node -e "${script}"`, {
    onOutput: (text: string) => {
      pid ||= Number.parseInt(text, 10);
    },
  });
  await expect.poll(async () => (pid ? await descendants(pid) : []), longPoll).toHaveLength(1);
  const [child = 0] = await descendants(pid);
  await killTree(pid);
  await ended;
  await expect.poll(() => isAlive(child), longPoll).toBe(false);
});

describe("a lock", () => {
  it("makes a second owner wait until it is released", async () => {
    const path = join(folder, "lock");
    const release = await lock(path, () => {});
    let waited: number | undefined;
    const second = lock(path, (pid) => {
      waited = pid;
    });
    await expect.poll(() => waited, longPoll).toBe(process.pid);
    release();
    (await second)();
    expect(existsSync(path)).toBe(false);
  });

  it("of a dead owner is taken over", async () => {
    const path = join(folder, "lock");
    const { stdout } = await shell("echo $$");
    writeFileSync(path, JSON.stringify({ pid: Number(stdout), host: hostname() }));
    (await lock(path, () => expect.unreachable("it waited")))();
  });

  it("of another machine is taken over when it was not touched for a long time", async () => {
    const path = join(folder, "lock");
    writeFileSync(path, JSON.stringify({ pid: 1, host: "elsewhere" }));
    const before = new Date(Date.now() - 3_600_000);
    utimesSync(path, before, before);
    (await lock(path, () => expect.unreachable("it waited")))();
  });
});

describe.runIf(process.platform === "linux")("plugins of an engine", () => {
  it("are identified by its home, and orphaned when it was killed", async () => {
    const home = join(folder, "home");
    const env = { ...process.env, PULUMI_HOME: home };
    // "pulumi" and its plugin are links to a shell, so that they have the right names.
    for (const name of ["pulumi", "plugin"]) symlinkSync("/bin/sh", join(folder, name));
    const engine = run(
      join(folder, "pulumi"),
      ["-c", "./plugin -c 'echo $$; sleep 600; true' > plugin.pid & wait"],
      {
        cwd: folder,
        env,
        timeoutMs: 60_000,
      },
    );
    const plugin = () => Number(readFileSync(join(folder, "plugin.pid"), "utf8"));
    await expect.poll(plugin, longPoll).toBeGreaterThan(0);
    expect(engineProcesses(home)).toContain(plugin());
    expect(engineProcesses(folder)).toEqual([]);
    expect(orphanedPlugins(home)).toEqual([]);
    process.kill(parentOf(plugin()) ?? 0, "SIGKILL");
    await expect.poll(() => orphanedPlugins(home), longPoll).toContain(plugin());
    for (const pid of orphanedPlugins(home)) process.kill(pid, "SIGKILL");
    await engine;
  });
});
