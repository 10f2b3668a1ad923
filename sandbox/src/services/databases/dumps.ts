import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeDurableFolder, syncFolder } from "../../state/sync-folder.js";

/** What a file is called while it is being written. */
const UNFINISHED = ".unfinished";

/** The files of dumps, each named after its backup. One is there under its name only when it is whole and on disk. */
export class Dumps {
  #folder: string | undefined;

  /** @param folder - Where they are; `undefined` until that is known. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** Where they are to be when nothing else was said. */
  placeAt(folder: string): void {
    this.#folder ??= folder;
  }

  /** Where the dump of a backup is, if it was made. */
  path(id: string): string | undefined {
    return this.#folder === undefined ? undefined : join(this.#folder, `${id}.sql`);
  }

  /**
   * Has a dump written, and shows it when it is whole.
   * @returns Its size in bytes.
   */
  async write(id: string, make: (path: string) => Promise<void>): Promise<number> {
    const [folder, path] = [this.#folder, this.path(id)];
    if (folder === undefined || path === undefined) throw new Error("There is no place for dumps.");
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

  /** Removes whatever an interrupted run has left: files that no backup owns. */
  async sweep(isKnown: (id: string) => boolean): Promise<void> {
    if (this.#folder === undefined) return;
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const id = /^(\w+)\.sql$/.exec(name)?.[1];
      if (id === undefined || !isKnown(id)) await rm(join(this.#folder, name), { force: true });
    }
  }
}
