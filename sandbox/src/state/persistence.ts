import type { Clock } from "./clock.js";
import { Disk, type Line } from "./disk.js";
import { isTableName, parseRow, type TableName } from "./rows.js";
import type { Change, Store } from "./store.js";

/** Where state is kept beside memory. */
export interface Persistence {
  append(changes: readonly Change[]): void;
  clockChanged(): void;
  /** Resolves when everything so far is as durable as it will be. */
  synced(): Promise<void>;
  close(): Promise<void>;
}

export const inMemory: Persistence = {
  append: () => {},
  clockChanged: () => {},
  synced: async () => {},
  close: async () => {},
};

/** Opens the folder, puts what it holds into the store and the clock, and keeps both from then on. */
export async function onDisk(
  folder: string,
  store: Store,
  clock: Clock,
  compactAfterBytes: number,
): Promise<Persistence> {
  const disk = await Disk.open(folder, (line) => restore(line, store, clock), compactAfterBytes);
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
    if (!isTableName(table)) throw new Error(`The data was written by a newer sandbox: it has "${table}".`);
    restoreRow(store, table, id, row);
  }
}

function restoreRow<T extends TableName>(store: Store, table: T, id: string, row: unknown): void {
  store.restore(table, id, row === undefined ? undefined : parseRow(table, row));
}
