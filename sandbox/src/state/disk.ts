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
  /** Journal size in bytes that triggers compaction. */
  readonly compactAfter: number;
  /** Receives errors that no request waits for. */
  readonly report: (error: unknown) => void;
}

/**
 * State on disk: the newest complete snapshot and the journals since. Each commit is one group of lines, written and
 * synced before a response is sent; waiting commits share a sync.
 */
export class Disk {
  readonly #folder: string;
  readonly #release: () => Promise<void>;
  readonly #options: DiskOptions;
  #generation: number;
  #journal: FileHandle;
  /** Length of the complete and synced journal. */
  #written: number;
  #compactAt: number;
  /** Whether a failed write may have left bytes after `#written`. */
  #isTorn = false;
  /** Committed in memory, not yet on disk. */
  #changes: string[] = [];
  #clock: ClockSetting | undefined;
  #waiting: SyncRequest[] = [];
  #flushing: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  /** Error of the last write. */
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
   * Locks the folder, reads its content, and truncates a torn tail.
   * @throws FolderInUseError; CorruptFileError where a file is damaged before its end; NewerDataError where a newer
   * sandbox wrote it.
   */
  static async open(folder: string, restore: (line: Line) => void, options: DiskOptions): Promise<Disk> {
    // Only this account can read the files; PostgreSQL's account may pass through.
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

  /** Queues a commit. Throws if a row cannot be serialized, so that the commit can be undone. */
  append(changes: readonly Change[]): void {
    const texts = changes.map(serializeChange);
    for (const text of texts) this.#changes.push(text);
  }

  setClock(setting: ClockSetting): void {
    this.#clock = setting;
  }

  /**
   * Resolves when everything queued is on disk. After an error such as a full disk, the next call writes it again.
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
   * Starts a new journal and writes a snapshot in the background that replaces the old ones. If that fails, the
   * journals remain and compaction is retried later.
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
    // Lets commits of the same turn share the sync.
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
      // A failed write counts as nothing: everything is written again after the complete part.
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
      // No other code runs until the end of this block. The snapshot is therefore exactly what the old journals
      // produce; unflushed changes go to the new journal (writing a row twice is harmless).
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
      // It takes space that the journal may need.
      await rm(`${path}.tmp`, { force: true });
      throw error;
    }
    await syncFolder(this.#folder);
  }
}

/** Lazily, so that only one line is in memory beside its rows. */
function* textsOf(rows: readonly Change[]): Generator<string> {
  for (const row of rows) yield serializeChange(row);
}

async function writeAll(file: FileHandle, bytes: Buffer): Promise<number> {
  for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
  return bytes.length;
}
