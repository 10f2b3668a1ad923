import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { NoPostgresError } from "./binaries.js";

const run = promisify(execFile);

/**
 * Waits while the server of an earlier sandbox is still going down, and clears away what a server that is gone has
 * left behind where PostgreSQL itself would take it for a running server.
 */
export async function waitUntilFree(data: string, patienceMs: number): Promise<void> {
  const path = join(data, "postmaster.pid");
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) return;
    const pid = Math.abs(Number.parseInt(text, 10));
    if (!(await isServerOf(data, pid))) {
      // PostgreSQL refuses an empty file, and one with the id of any process that it may send signals to. Whether
      // parts of the old server still live it also sees by their shared memory.
      if (Number.isNaN(pid) || exists(pid)) await rm(path, { force: true });
      return;
    }
    if (Date.now() > deadline) {
      throw new NoPostgresError(`Another PostgreSQL (process ${pid}) holds ${data}. Stop it first.`);
    }
    await delay(50);
  }
}

/** A process id alone says nothing: after a restart of the machine or a container, another process may have it. */
async function isServerOf(data: string, pid: number): Promise<boolean> {
  if (Number.isNaN(pid)) return false;
  const words = await commandLine(pid);
  return words === undefined ? exists(pid) : words.includes(` -D ${data} `);
}

/** How a process was started, its words between blanks; empty where there is no such process or it has ended. */
async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return ` ${words.replaceAll("\0", " ")}`;
  }
  try {
    const { stdout } = await run("ps", ["-ww", "-o", "command=", "-p", String(pid)]);
    return ` ${stdout.trim()} `;
  } catch (error) {
    // It ends with 1 where there is no such process.
    return error instanceof Error && "code" in error && error.code === 1 ? "" : undefined;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // EPERM: it is another account's, and our server runs as ours.
    return false;
  }
}
