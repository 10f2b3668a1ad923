import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const holderSchema = z.object({ pid: z.int(), started: z.string() });

/** Another process holds the data folder. */
export class FolderInUseError extends Error {
  constructor(folder: string, pid: number) {
    super(`The data folder ${folder} is in use by process ${pid}. Stop it, or choose another folder.`);
  }
}

/**
 * Takes the folder for this process alone. The lock names its holder by process id and start time, so that one
 * left behind by a killed process is recognised even where the id has been given to another.
 *
 * @returns A function that gives the folder back.
 */
export async function lockFolder(folder: string, self = process.pid): Promise<() => Promise<void>> {
  const lock = join(folder, "lock");
  const claim = join(folder, `lock.${self}.${Math.random().toString(36).slice(2)}`);
  const { started } = await statOf(self);
  await writeFile(claim, JSON.stringify({ pid: self, started }), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 10; attempt++) {
      if (await linked(claim, lock)) return () => rm(lock, { force: true });
      const holder = holderOf(await readFile(lock, "utf8").catch(() => undefined));
      if (holder && (await isAlive(holder))) throw new FolderInUseError(folder, holder.pid);
      // Moving it aside, rather than deleting it, lets only one of several contenders do so.
      await rename(lock, `${claim}.stale`).catch(() => {});
    }
    throw new Error(`The lock ${lock} cannot be taken; remove it if no sandbox runs there.`);
  } finally {
    await rm(claim, { force: true });
    await rm(`${claim}.stale`, { force: true });
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function holderOf(text: string | undefined): z.infer<typeof holderSchema> | undefined {
  try {
    return holderSchema.parse(JSON.parse(text ?? ""));
  } catch {
    return undefined;
  }
}

async function isAlive(holder: { pid: number; started: string }): Promise<boolean> {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it lives, and is somebody else's.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const { state, started } = await statOf(holder.pid);
  // A killed process keeps its id until its parent asks how it ended, which some parents never do.
  if (state === "Z" || state === "X") return false;
  return started === "" || holder.started === "" || started === holder.started;
}

/**
 * The state of a process, and when it started in the kernel's ticks (proc(5), fields 3 and 22); both empty where the
 * system does not tell (not Linux).
 */
async function statOf(pid: number): Promise<{ state: string; started: string }> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name before it is in parentheses and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", started: fields[19] ?? "" };
}
