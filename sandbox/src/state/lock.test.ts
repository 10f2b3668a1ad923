import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { buildCommand } from "../../test/command.js";
import { temporaryFolder } from "../../test/folder.js";
import { FolderInUseError, lockFolder } from "./lock.js";

const compiled = new URL("../../dist/state/lock.js", import.meta.url).href;
/** Takes the folder, says so or why not, and holds it. */
const script = `import(${JSON.stringify(compiled)})
  .then(({ lockFolder }) => lockFolder(process.argv[1]))
  .then(() => { console.log("held by " + process.pid); setInterval(() => {}, 1000); }, (error) => console.log(error.message));`;

/** What makes its command process 1 of a container, as far as process ids go. */
const unshare = ["--pid", "--fork", "--mount-proc", "--kill-child"];
const canUnshare = await promisify(execFile)("unshare", [...unshare, "true"]).then(
  () => true,
  () => false,
);

/** Starts a process that wants the folder, returns its output, and kills it. */
async function contender(folder: string, command: readonly string[] = []) {
  const [program = process.execPath, ...rest] = [...command, process.execPath, "-e", script, folder];
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said] = await once(child.stdout, "data");
  const kill = async () => {
    child.kill("SIGKILL");
    // With the last that writes to it, not with the first that dies.
    await once(child, "close");
  };
  return { said: String(said).trim(), kill };
}

beforeAll(buildCommand, 120_000);

/** So long that no address of a socket would take it. */
async function longFolder(): Promise<string> {
  const path = join(await temporaryFolder(), "a".repeat(120));
  await mkdir(path);
  return path;
}

describe.each([
  ["a short name", temporaryFolder],
  ["a long name", longFolder],
])("a folder with %s", (_, folder) => {
  test("is held until its process is killed", async () => {
    const path = await folder();
    const first = await contender(path);
    expect(first.said).toMatch(/^held by/);
    await expect(lockFolder(path)).rejects.toThrow(FolderInUseError);
    await first.kill();
    const release = await lockFolder(path);
    expect((await contender(path)).said).toMatch(/in use by process/);
    await release();
    expect(await readdir(path)).toEqual([]);
  });

  test.runIf(canUnshare)("is held also against processes that do not see its holder", async () => {
    const path = await folder();
    const container = ["unshare", ...unshare];
    const first = await contender(path, container);
    expect(first.said).toBe("held by 1");
    // Process 1 here is another than process 1 there.
    expect((await contender(path, container)).said).toMatch(/in use by process 1 of another container/);
    await expect(lockFolder(path)).rejects.toThrow(FolderInUseError);
    await first.kill();
    const second = await contender(path, container);
    expect(second.said).toBe("held by 1");
    await second.kill();
    await (await lockFolder(path))();
    expect(await readdir(path)).toEqual([]);
  });
});

// Only Linux distinguishes these.
describe.runIf(process.platform === "linux")("the lock of a process that cannot be asked", () => {
  /** The lock of this process, without its socket. */
  async function lockWith(fields: object): Promise<{ path: string; lock: string }> {
    const path = await temporaryFolder();
    const lock = join(path, "lock");
    const release = await lockFolder(path);
    const { socket: _, ...holder } = JSON.parse(await readFile(lock, "utf8"));
    await release();
    await writeFile(lock, JSON.stringify({ ...holder, ...fields }));
    return { path, lock };
  }

  test("holds where the process runs", async () => {
    const { path } = await lockWith({});
    await expect(lockFolder(path)).rejects.toThrow(FolderInUseError);
  });

  test("is taken over where the machine was started again", async () => {
    const { path } = await lockWith({ boot: "another" });
    await (await lockFolder(path))();
  });

  test("is refused where it is in another container, and the file to delete is named", async () => {
    const { path, lock } = await lockWith({ namespace: "pid:[1]" });
    await expect(lockFolder(path)).rejects.toThrow(`if no sandbox runs there, delete ${lock}`);
    await expect(lockFolder(path)).rejects.toThrow(FolderInUseError);
    expect(await readdir(path)).toEqual(["lock"]);
  });
});
