import { chmod, type FileHandle, open, rename, rm } from "node:fs/promises";
import type { ClockSetting } from "./clock.js";
import {
  generationsIn,
  journalPath,
  readBack,
  removeOlder,
  removeUnfinished,
  snapshotPath,
} from "./generations.js";
import { type Line, packLines, serializeChange } from "./line.js";
import { lockFolder } from "./lock.js";
import type { Change } from "./store.js";
import { makeDurableFolder, syncFolder } from "./sync-folder.js";

interface SyncRequest {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export interface DiskOptions {
  /** A journal longer than this gives way to a snapshot. */
  readonly compactAfter: number;
  /** Takes errors that no request waits for. */
  readonly report: (error: unknown) => void;
}

/**
 * State on disk: the newest complete snapshot, and the journals from it on. What is committed together is one
 * group of lines, written and synced before any response leaves; several commits that wait share one sync.
 */
export class Disk {
  readonly #folder: string;
  readonly #release: () => Promise<void>;
  readonly #options: DiskOptions;
  #generation: number;
  #journal: FileHandle;
  /** How far the journal is whole and synced. */
  #written: number;
  #compactAt: number;
  /** Behind `#written`, the journal may hold part of a write that failed. */
  #isTorn = false;
  /** Committed in memory, not yet on disk. */
  #changes: string[] = [];
  #clock: ClockSetting | undefined;
  #waiting: SyncRequest[] = [];
  #flushing: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  /** Why the last write failed. */
  #failure: unknown;

  private constructor(
    folder: string,
    release: () => Promise<void>,
    options: DiskOptions,
    opened: { generation: number; journal: FileHandle; size: number },
  ) {
    this.#folder = folder;
    this.#release = release;
    this.#options = options;
    this.#compactAt = options.compactAfter;
    this.#generation = opened.generation;
    this.#journal = opened.journal;
    this.#written = opened.size;
  }

  /**
   * Takes the folder, reads back what it holds line by line, and repairs a torn tail.
   * @throws FolderInUseError; CorruptFileError where a file is damaged elsewhere than at its end; NewerDataError
   * where a newer sandbox wrote it.
   */
  static async open(folder: string, restore: (line: Line) => void, options: DiskOptions): Promise<Disk> {
    // The files are for this account alone; passing through is for the one that PostgreSQL may run as.
    await makeDurableFolder(folder);
    await chmod(folder, 0o711);
    const release = await lockFolder(folder);
    try {
      const found = await generationsIn(folder);
      const { base, generation } = await readBack(folder, found, restore);
      const journal = await open(journalPath(folder, generation), "a", 0o600);
      await syncFolder(folder);
      const { size } = await journal.stat();
      await removeOlder(folder, found, base);
      await removeUnfinished(folder);
      return new Disk(folder, release, options, { generation, journal, size });
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Queues what was committed. Throws where a row cannot be written at all, so that its commit can be undone. */
  append(changes: readonly Change[]): void {
    const texts = changes.map(serializeChange);
    for (const text of texts) this.#changes.push(text);
  }

  setClock(setting: ClockSetting): void {
    this.#clock = setting;
  }

  /**
   * Resolves when everything appended so far has reached the disk. After a failure (a full disk, say) the next call
   * writes again, with all that was committed since.
   */
  async synced(): Promise<void> {
    if (this.#changes.length === 0 && this.#clock === undefined) {
      await this.#flushing;
      if (this.#failure !== undefined) throw this.#failure;
      return;
    }
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

  /**
   * Starts a new journal and, beside the running requests, writes a snapshot that makes the old ones needless. Where
   * that fails, the journals still hold everything, so writing goes on and compaction is tried again later.
   */
  compactIfLong(snapshot: () => Iterable<Change>, clock: () => ClockSetting): void {
    if (this.#written < this.#compactAt || this.#compacting || this.#isTorn) return;
    this.#compacting = this.#compact(snapshot, clock)
      .then(() => {
        this.#compactAt = this.#options.compactAfter;
      })
      .catch((error: unknown) => {
        this.#compactAt = this.#written + this.#options.compactAfter;
        this.#options.report(error);
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
      this.#waiting = [];
      try {
        await this.#write();
        for (const { resolve } of waiting) resolve();
      } catch (error) {
        for (const { reject } of waiting) reject(error);
      }
    }
  }

  async #write(): Promise<void> {
    const [changes, clock] = [this.#changes, this.#clock];
    this.#changes = [];
    this.#clock = undefined;
    try {
      if (this.#isTorn) await this.#journal.truncate(this.#written);
      this.#isTorn = true;
      let written = this.#written;
      for (const line of packLines(changes, { clock, isGroup: true }))
        written += await writeAll(this.#journal, Buffer.from(line));
      await this.#journal.datasync();
      this.#written = written;
      this.#isTorn = false;
      this.#failure = undefined;
    } catch (error) {
      // Nothing of it counts as written, so all of it is written again after what is whole.
      this.#changes = [...changes, ...this.#changes];
      this.#clock ??= clock;
      this.#failure = error;
      throw error;
    }
  }

  async #compact(snapshot: () => Iterable<Change>, clock: () => ClockSetting): Promise<void> {
    const generation = this.#generation + 1;
    const next = await open(journalPath(this.#folder, generation), "a", 0o600);
    const old = this.#journal;
    let rows: Change[];
    let setting: ClockSetting;
    try {
      await syncFolder(this.#folder);
      await this.#flushing;
      if (this.#isTorn) throw this.#failure;
      // From here to the end of the block nothing else runs: the snapshot is what the old journals lead to, and
      // what has not been flushed yet goes to the new one (putting a row twice does no harm).
      rows = [...snapshot()];
      setting = clock();
      this.#journal = next;
      this.#generation = generation;
      this.#written = 0;
    } catch (error) {
      await next.close();
      throw error;
    }
    await old.close();
    await this.#writeSnapshot(generation, rows, setting);
    await removeOlder(this.#folder, await generationsIn(this.#folder), generation);
  }

  async #writeSnapshot(generation: number, rows: readonly Change[], clock: ClockSetting): Promise<void> {
    const path = snapshotPath(this.#folder, generation);
    const file = await open(`${path}.tmp`, "w", 0o600);
    try {
      for (const line of packLines(textsOf(rows), { clock, end: rows.length, isGroup: false }))
        await writeAll(file, Buffer.from(line));
      await file.sync();
      await file.close();
      await rename(`${path}.tmp`, path);
    } catch (error) {
      await file.close().catch(() => {});
      // It takes room that the journal may need.
      await rm(`${path}.tmp`, { force: true });
      throw error;
    }
    await syncFolder(this.#folder);
  }
}

/** One after the other, so that only one line of a snapshot is in memory beside its rows. */
function* textsOf(rows: readonly Change[]): Generator<string> {
  for (const row of rows) yield serializeChange(row);
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<number> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
  return bytes.length;
}
