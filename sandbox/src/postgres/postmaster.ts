import { execFile } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { NoPostgresError } from "./binaries.js";

const run = promisify(execFile);

/**
 * Waits until an earlier sandbox's server has stopped. Deletes a stale PID file that PostgreSQL would mistake for a
 * running server.
 */
export async function waitUntilFree(data: string, patienceMs: number): Promise<void> {
  const path = join(data, "postmaster.pid");
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const text = await readFile(path, "utf8").catch(() => undefined);
    if (text === undefined) return;
    const pid = Math.abs(Number.parseInt(text, 10));
    if (!(await isServerOf(data, pid))) {
      // PostgreSQL rejects an empty file, and one with the id of any process it may signal. It detects remaining
      // processes of the old server by shared memory.
      if (Number.isNaN(pid) || exists(pid)) await rm(path, { force: true });
      return;
    }
    if (Date.now() > deadline) {
      throw new NoPostgresError(`Another PostgreSQL (process ${pid}) holds ${data}. Stop it first.`);
    }
    await delay(50);
  }
}

/** Checks the command line, because another process may have the id after a restart. */
async function isServerOf(data: string, pid: number): Promise<boolean> {
  if (Number.isNaN(pid)) return false;
  const words = await commandLine(pid);
  return words === undefined ? exists(pid) : words.includes(` -D ${data} `);
}

/** Returns a process's command line, separated by spaces; empty where it does not exist or has ended. */
async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") {
    const words = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    return ` ${words.replaceAll("\0", " ")}`;
  }
  try {
    const { stdout } = await run("ps", ["-ww", "-o", "command=", "-p", String(pid)]);
    return ` ${stdout.trim()} `;
  } catch (error) {
    // ps exits with 1 if the process does not exist.
    return error instanceof Error && "code" in error && error.code === 1 ? "" : undefined;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // EPERM: it belongs to another account, and our server to ours.
    return false;
  }
}
