import { chmod, type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { ClockSetting } from "./clock.js";
import { CorruptFileError, sealed, wholeLines } from "./journal-file.js";
import { lockFolder } from "./lock.js";
import type { Change } from "./store.js";
import { syncFolder } from "./sync-folder.js";

/** What one line says: changed rows, the clock, or the end of a snapshot. */
const lineSchema = z.object({
  changes: z.array(z.object({ table: z.string(), id: z.string(), row: z.unknown().optional() })).optional(),
  clock: z.object({ offset: z.number(), frozenAt: z.number().optional() }).optional(),
  end: z.int().optional(),
});
export type Line = z.infer<typeof lineSchema>;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const ROWS_A_LINE = 50;

/**
 * State on disk: the newest complete snapshot, and the journals from it on. What is committed together is one
 * line, written and synced before any answer leaves; several commits that wait share one sync.
 */
export class Disk {
  readonly #folder: string;
  readonly #release: () => Promise<void>;
  readonly #compactAfter: number;
  #generation: number;
  #journal: FileHandle;
  #written: number;
  #changes: Change[] = [];
  #clock: ClockSetting | undefined;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  #broken: unknown;

  private constructor(
    folder: string,
    release: () => Promise<void>,
    compactAfter: number,
    opened: { generation: number; journal: FileHandle; size: number },
  ) {
    this.#folder = folder;
    this.#release = release;
    this.#compactAfter = compactAfter;
    this.#generation = opened.generation;
    this.#journal = opened.journal;
    this.#written = opened.size;
  }

  /**
   * Takes the folder, reads back what it holds line by line, and repairs a torn tail.
   * @throws FolderInUseError, or CorruptFileError where a file is damaged elsewhere than at its end.
   */
  static async open(folder: string, restore: (line: Line) => void, compactAfter: number): Promise<Disk> {
    // The files are for this account alone; passing through is for the one that PostgreSQL may run as.
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o711);
    const release = await lockFolder(folder);
    try {
      const found = await generationsIn(folder);
      const base = await newestSnapshot(folder, found.snapshots, restore);
      const journals = found.journals.filter((generation) => generation >= base);
      requireAll(folder, found, base, journals);
      for (const generation of journals) await readJournal(folder, generation, journals, restore);
      const generation = journals.at(-1) ?? base;
      const journal = await open(journalPath(folder, generation), "a", 0o600);
      await syncFolder(folder);
      const { size } = await journal.stat();
      await removeOlder(folder, found, base);
      await removeUnfinished(folder);
      return new Disk(folder, release, compactAfter, { generation, journal, size });
    } catch (error) {
      await release();
      throw error;
    }
  }

  append(changes: readonly Change[]): void {
    this.#changes.push(...changes);
  }

  setClock(setting: ClockSetting): void {
    this.#clock = setting;
  }

  /** Resolves when everything appended so far has reached the disk. */
  async synced(): Promise<void> {
    if (this.#changes.length === 0 && this.#clock === undefined) {
      await this.#flushing;
      if (this.#broken !== undefined) throw this.#broken;
      return;
    }
    if (this.#broken !== undefined) throw this.#broken;
    await new Promise<void>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#flushing ??= this.#flush().finally(() => {
        this.#flushing = undefined;
      });
    });
  }

  async close(): Promise<void> {
    await this.synced().catch(() => {});
    await this.#compacting;
    await this.#journal.close();
    await this.#release();
  }

  /** Starts a new journal and, beside the running requests, writes a snapshot that makes the old ones needless. */
  compactIfLong(snapshot: () => Iterable<Change>, clock: () => ClockSetting): void {
    if (this.#written < this.#compactAfter || this.#compacting || this.#broken !== undefined) return;
    this.#compacting = this.#compact(snapshot, clock)
      .catch((error: unknown) => {
        this.#broken = error;
      })
      .finally(() => {
        this.#compacting = undefined;
      });
  }

  async #flush(): Promise<void> {
    // Lets what arrives in the same turn share the sync.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      const line: Line = { changes: this.#changes, ...(this.#clock && { clock: this.#clock }) };
      this.#waiting = [];
      this.#changes = [];
      this.#clock = undefined;
      try {
        const bytes = Buffer.from(sealed(JSON.stringify(line)));
        await writeAll(this.#journal, bytes);
        await this.#journal.datasync();
        this.#written += bytes.length;
        for (const { resolve } of waiting) resolve();
      } catch (error) {
        // What memory holds can no longer be promised, so nothing more is acknowledged.
        this.#broken = error;
        for (const { reject } of [...waiting, ...this.#waiting]) reject(error);
        this.#waiting = [];
      }
    }
  }

  async #compact(snapshot: () => Iterable<Change>, clock: () => ClockSetting): Promise<void> {
    const generation = this.#generation + 1;
    const next = await open(journalPath(this.#folder, generation), "a", 0o600);
    await syncFolder(this.#folder);
    await this.#flushing;
    // From here to the end of the block nothing else runs: the snapshot is what the old journals lead to, and
    // what has not been flushed yet goes to the new one (putting a row twice does no harm).
    const rows = [...snapshot()];
    const setting = clock();
    const old = this.#journal;
    this.#journal = next;
    this.#generation = generation;
    this.#written = 0;
    await old.close();
    await this.#writeSnapshot(generation, rows, setting);
    await removeOlder(this.#folder, await generationsIn(this.#folder), generation);
  }

  async #writeSnapshot(generation: number, rows: readonly Change[], clock: ClockSetting): Promise<void> {
    const path = snapshotPath(this.#folder, generation);
    const file = await open(`${path}.tmp`, "w", 0o600);
    try {
      for (let at = 0; at < rows.length; at += ROWS_A_LINE) {
        await writeAll(
          file,
          Buffer.from(sealed(JSON.stringify({ changes: rows.slice(at, at + ROWS_A_LINE) }))),
        );
      }
      await writeAll(file, Buffer.from(sealed(JSON.stringify({ clock, end: rows.length }))));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(`${path}.tmp`, path);
    await syncFolder(this.#folder);
  }
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
}

function journalPath(folder: string, generation: number): string {
  return join(folder, `journal-${generation}.log`);
}

function snapshotPath(folder: string, generation: number): string {
  return join(folder, `snapshot-${generation}.log`);
}

interface Generations {
  readonly journals: number[];
  readonly snapshots: number[];
}

async function generationsIn(folder: string): Promise<Generations> {
  const names = await readdir(folder);
  const numbers = (pattern: RegExp) =>
    names
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  return { journals: numbers(/^journal-(\d+)\.log$/), snapshots: numbers(/^snapshot-(\d+)\.log$/) };
}

/** Restores the newest snapshot; one appears under its name only when it is complete. */
async function newestSnapshot(
  folder: string,
  snapshots: readonly number[],
  restore: (line: Line) => void,
): Promise<number> {
  const newest = snapshots.at(-1);
  if (newest === undefined) return 0;
  const path = snapshotPath(folder, newest);
  const lines = wholeLines(await readFile(path), path).texts.map((text) =>
    lineSchema.parse(JSON.parse(text)),
  );
  if (lines.at(-1)?.end === undefined) throw new CorruptFileError(`${path} is damaged: its end is missing.`);
  for (const line of lines) restore(line);
  return newest;
}

/**
 * A journal is made before its snapshot and goes only when there is a newer one, so that none is ever missing: what
 * is missing has been taken away, and with it what it held.
 */
function requireAll(folder: string, found: Generations, base: number, journals: readonly number[]): void {
  const [first, last] = [journals[0], journals.at(-1)];
  if (found.snapshots.length === 0 && first === undefined) return;
  if (found.snapshots.length === 0 && first !== 0) throw missing(snapshotPath(folder, first ?? base));
  for (let generation = base; generation <= (last ?? base); generation++)
    if (!journals.includes(generation)) throw missing(journalPath(folder, generation));
}

function missing(path: string): CorruptFileError {
  return new CorruptFileError(`${path} is missing; restore it from a copy, or start with an empty folder.`);
}

async function readJournal(
  folder: string,
  generation: number,
  journals: readonly number[],
  restore: (line: Line) => void,
): Promise<void> {
  const path = journalPath(folder, generation);
  const bytes = await readFile(path);
  const { texts, wholeBytes } = wholeLines(bytes, path);
  if (wholeBytes < bytes.length) {
    // The next journal is created before this one is finished, and written to only afterwards.
    for (const later of journals.filter((each) => each > generation)) {
      if ((await stat(journalPath(folder, later))).size === 0) continue;
      throw new CorruptFileError(
        `${path} is damaged: its end is torn, and a newer journal has been written.`,
      );
    }
    await cutAt(path, wholeBytes);
  }
  for (const text of texts) restore(lineSchema.parse(JSON.parse(text)));
}

/** Snapshots in whose middle an earlier process died; nothing else would ever take them away. */
async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names.filter((each) => /^snapshot-\d+\.log\.tmp$/.test(each)))
    await rm(join(folder, name), { force: true });
}

async function removeOlder(folder: string, found: Generations, base: number): Promise<void> {
  for (const old of found.journals.filter((each) => each < base))
    await rm(journalPath(folder, old), { force: true });
  for (const old of found.snapshots.filter((each) => each < base))
    await rm(snapshotPath(folder, old), { force: true });
}

/** Synced, because a torn end must not come back with a power cut after the next journal has been written. */
async function cutAt(path: string, bytes: number): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.truncate(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
