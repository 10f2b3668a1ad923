import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeDurableFolder, syncFolder } from "../../state/sync-folder.js";

/** Suffix of a file that is being written. */
const UNFINISHED = ".unfinished";

/** Dump files, named after their backups. A file gets its name only once it is complete and synced. */
export class Dumps {
  #folder: string | undefined;

  /** @param folder - `undefined` until the folder is known. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Sets the folder unless it is already known. */
  placeAt(folder: string): void {
    this.#folder ??= folder;
  }

  /** Returns where the dump of a backup is, or would be. */
  path(id: string): string | undefined {
    return this.#folder === undefined ? undefined : join(this.#folder, `${id}.sql`);
  }

  /**
   * Writes a dump and names it once it is complete.
   * @returns Its size in bytes.
   */
  async write(id: string, make: (path: string) => Promise<void>): Promise<number> {
    const [folder, path] = [this.#folder, this.path(id)];
    if (folder === undefined || path === undefined) throw new Error("The folder for dumps is unknown.");
    await makeDurableFolder(folder, 0o700);
    const unfinished = path + UNFINISHED;
    try {
      await make(unfinished);
      const file = await open(unfinished, "r+");
      try {
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    await syncFolder(folder);
    return (await stat(path)).size;
  }

  async remove(id: string): Promise<void> {
    const path = this.path(id);
    if (path !== undefined) await rm(path, { force: true });
  }

  /** Deletes unfinished files and dumps without a backup. */
  async sweep(isKnown: (id: string) => boolean): Promise<void> {
    if (this.#folder === undefined) return;
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const id = /^(\w+)\.sql$/.exec(name)?.[1];
      if (id === undefined || !isKnown(id)) await rm(join(this.#folder, name), { force: true });
    }
  }
}
