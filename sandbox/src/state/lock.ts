import { link, readFile, readlink, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { isListening, openLivenessSocket, SOCKET_NAME } from "./liveness-socket.js";

const holderSchema = z.object({
  pid: z.int(),
  /** In the kernel's ticks; empty where unknown. */
  started: z.string(),
  /** Identifies the boot; a holder from an earlier boot has ended. */
  boot: z.string().optional(),
  /** The namespace of process ids, which differ between containers. */
  namespace: z.string().optional(),
  /** The holder's liveness socket. */
  socket: z.string().regex(SOCKET_NAME).optional(),
});
type Holder = z.infer<typeof holderSchema>;

/** Another process holds the data folder. */
export class FolderInUseError extends Error {
  constructor(folder: string, { pid }: { pid: number }, where: "here" | "elsewhere" | "unknown") {
    const who = `process ${pid}${where === "here" ? "" : " of another container"}`;
    super(
      where === "unknown"
        ? `The data folder ${folder} is locked by ${who} (status unknown). Stop it, or choose another folder; if no sandbox runs there, delete ${join(folder, "lock")}.`
        : `The data folder ${folder} is in use by ${who}. Stop it, or choose another folder.`,
    );
  }
}

/**
 * Locks the folder for this process. The lock names its holder, to detect one left by a killed process: by a socket
 * that the kernel closes with the process, or without one by process id and start time, since ids are reused.
 * @returns A function that releases the folder.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const lock = join(folder, "lock");
  const name = `lock.${process.pid}.${Math.random().toString(36).slice(2)}`;
  const claim = join(folder, name);
  // Before the lock, so that every lock has its socket.
  const sign = await openLivenessSocket(folder, `${name}.socket`);
  const self: Holder = { ...(await holderHere()), ...(sign && { socket: sign.name }) };
  let isTaken = false;
  try {
    await writeFile(claim, JSON.stringify(self), { mode: 0o600 });
    for (let attempt = 0; attempt < 10; attempt++) {
      isTaken = await linked(claim, lock);
      if (isTaken) {
        return async () => {
          await rm(lock, { force: true });
          await sign?.close();
        };
      }
      const text = await readFile(lock, "utf8").catch(() => undefined);
      if (text === undefined) continue;
      const holder = holderOf(text);
      if (holder) await requireDead(folder, holder, self);
      await moveAside(lock, `${claim}.stale`, text);
      if (holder?.socket !== undefined) await rm(join(folder, holder.socket), { force: true });
    }
    throw new Error(`The lock ${lock} cannot be taken; remove it if no sandbox runs there.`);
  } finally {
    await rm(claim, { force: true });
    await rm(`${claim}.stale`, { force: true });
    if (!isTaken) await sign?.close();
  }
}

/**
 * Renames a stale lock instead of deleting it, so that only one of several contenders removes it; restores a newer
 * one.
 */
async function moveAside(lock: string, aside: string, text: string): Promise<void> {
  try {
    await rename(lock, aside);
  } catch {
    return;
  }
  if ((await readFile(aside, "utf8").catch(() => text)) !== text) await linked(aside, lock);
  await rm(aside, { force: true });
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

function holderOf(text: string): Holder | undefined {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function holderHere(): Promise<Holder> {
  const { pid } = process;
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => undefined);
  const namespace = await readlink("/proc/self/ns/pid").catch(() => undefined);
  return { pid, started: (await statOf(pid)).started, boot: boot?.trim(), namespace };
}

/** @throws FolderInUseError where the holder is, or may be, alive. */
async function requireDead(folder: string, holder: Holder, self: Holder): Promise<void> {
  const isElsewhere = differs(holder.namespace, self.namespace);
  const isAnswering = holder.socket === undefined ? undefined : await isListening(folder, holder.socket);
  if (isAnswering === true) throw new FolderInUseError(folder, holder, isElsewhere ? "elsewhere" : "here");
  if (isAnswering === false || differs(holder.boot, self.boot)) return;
  if (isElsewhere) throw new FolderInUseError(folder, holder, "unknown");
  if (await isAlive(holder)) throw new FolderInUseError(folder, holder, "here");
}

/** Returns whether both are known and different. */
function differs(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}

async function isAlive(holder: Holder): Promise<boolean> {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: the process exists under another account.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const { state, started } = await statOf(holder.pid);
  // A killed process keeps its id until its parent reads its exit status, which some parents never do.
  if (state === "Z" || state === "X") return false;
  return started === "" || holder.started === "" || started === holder.started;
}

/** Returns the state and start time of a process (proc(5), fields 3 and 22); empty outside Linux. */
async function statOf(pid: number): Promise<{ state: string; started: string }> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name before them is in parentheses and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "", started: fields[19] ?? "" };
}
