import { z } from "zod";
import type { Clock } from "./clock.js";
import { Disk } from "./disk.js";
import { CorruptFileError } from "./journal-file.js";
import { type Line, NewerDataError } from "./line.js";
import { isTableName, parseRow, type Rows, type TableName } from "./rows.js";
import type { Change, Store } from "./store.js";

/** Stores state beyond memory. */
export interface Persistence {
  append(changes: readonly Change[]): void;
  clockChanged(): void;
  /** Resolves when all changes are stored. */
  synced(): Promise<void>;
  close(): Promise<void>;
}

export const inMemory: Persistence = {
  append: () => {},
  clockChanged: () => {},
  synced: async () => {},
  close: async () => {},
};

/** Loads a folder into the store and the clock, and stores their changes in it. */
export async function onDisk(
  folder: string,
  store: Store,
  clock: Clock,
  compactAfter: number,
  report: (error: unknown) => void,
): Promise<Persistence> {
  const disk = await Disk.open(folder, (line) => restore(line, store, clock), { compactAfter, report });
  return {
    append: (changes) => disk.append(changes),
    clockChanged: () => disk.setClock(clock.setting),
    async synced() {
      await disk.synced();
      disk.compactIfLong(
        () => store.contents(),
        () => clock.setting,
      );
    },
    close: () => disk.close(),
  };
}

function restore(line: Line, store: Store, clock: Clock): void {
  if (line.clock) clock.restore(line.clock);
  for (const { table, id, row } of line.changes ?? []) {
    if (!isTableName(table))
      throw new NewerDataError(`The data was written by a newer sandbox: it has a table "${table}".`);
    restoreRow(store, table, id, row);
  }
}

function restoreRow<T extends TableName>(store: Store, table: T, id: string, row: unknown): void {
  store.restore(table, id, row === undefined ? undefined : rowOf(table, id, row));
}

/** Parses a stored row. Rejects unknown fields, because compaction would lose them. */
function rowOf<T extends TableName>(table: T, id: string, row: unknown): Rows[T] {
  try {
    return parseRow(table, row);
  } catch (error) {
    throw new CorruptFileError(
      `The data folder holds an invalid row "${id}": ${error instanceof z.ZodError ? z.prettifyError(error) : error}`,
    );
  }
}
