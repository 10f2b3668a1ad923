import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { z } from "zod";

/** What `record-disk.mjs` writes down. */
const operationSchema = z.discriminatedUnion("do", [
  z.object({ do: z.literal("open"), handle: z.int(), path: z.string(), flags: z.string() }),
  z.object({ do: z.literal("write"), handle: z.int(), bytes: z.base64() }),
  z.object({ do: z.literal("truncate"), handle: z.int(), length: z.int() }),
  z.object({ do: z.enum(["sync", "synced"]), handle: z.int() }),
  z.object({ do: z.literal("writeFile"), path: z.string(), bytes: z.base64() }),
  z.object({ do: z.enum(["mkdir", "rm"]), path: z.string() }),
  z.object({ do: z.enum(["rename", "link"]), from: z.string(), to: z.string() }),
]);
export type Operation = z.infer<typeof operationSchema>;

/** The last line may be half, since its writer was killed. */
export function operationsIn(record: string): Operation[] {
  const lines = record.slice(0, record.lastIndexOf("\n") + 1).split("\n");
  return lines.filter((line) => line !== "").map((line) => operationSchema.parse(JSON.parse(line)));
}

class File {
  data = Buffer.alloc(0);
  /** What a power cut leaves of it. */
  durable = Buffer.alloc(0);
}

class Folder {
  entries = new Map<string, Entry>();
  durable = new Map<string, Entry>();
}

type Entry = File | Folder;

/** How much of the unsynced data survives a power cut. */
export interface Cut {
  /** The share of a file's unsynced end that survives, from 0 to 1. */
  readonly data: () => number;
  /** Whether a change of a name since the last sync of its folder survives. */
  readonly names: () => boolean;
}

/** A folder and all in it, as the recorded operations leave it in memory and on the disk. */
export class DiskModel {
  readonly #path: string;
  readonly #root: Folder;
  readonly #handles = new Map<number, Entry>();
  /** What a sync that has begun will have made durable. */
  readonly #syncing = new Map<number, () => void>();

  private constructor(path: string, root: Folder) {
    this.#path = path;
    this.#root = root;
  }

  /** Starts with what exists, which counts as durable. */
  static async of(path: string): Promise<DiskModel> {
    return new DiskModel(path, await folderAt(path));
  }

  apply(operation: Operation): void {
    if (operation.do === "open") this.#open(operation.handle, operation.path, operation.flags);
    else if ("handle" in operation) this.#onHandle(operation);
    else if ("from" in operation) this.#move(operation);
    else if (operation.do === "mkdir") this.#folderOf(operation.path, true);
    else if (operation.do === "rm") this.#parentOf(operation.path)?.entries.delete(nameOf(operation.path));
    else if ("bytes" in operation) {
      const file = this.#file(operation.path, true);
      if (file) file.data = Buffer.from(operation.bytes, "base64");
    }
  }

  /** Writes into a folder what the disk holds when the power goes now. */
  async cut(into: string, how: Cut): Promise<void> {
    await writeOut(this.#root, into, how);
  }

  #open(handle: number, path: string, flags: string): void {
    const entry = this.#at(path) ?? this.#file(path, flags !== "r" && flags !== "r+");
    if (!entry) return;
    if (entry instanceof File && flags === "w") entry.data = Buffer.alloc(0);
    this.#handles.set(handle, entry);
  }

  #onHandle(operation: Extract<Operation, { readonly do: "write" | "truncate" | "sync" | "synced" }>): void {
    const { handle } = operation;
    const entry = this.#handles.get(handle);
    if (operation.do === "sync" && entry) this.#syncing.set(handle, snapshotOf(entry));
    else if (operation.do === "synced") this.#syncing.get(handle)?.();
    else if (!(entry instanceof File)) return;
    else if (operation.do === "truncate") entry.data = entry.data.subarray(0, operation.length);
    else if (operation.do === "write")
      entry.data = Buffer.concat([entry.data, Buffer.from(operation.bytes, "base64")]);
  }

  #move(operation: Extract<Operation, { readonly do: "rename" | "link" }>): void {
    const [from, to] = [this.#parentOf(operation.from), this.#parentOf(operation.to)];
    const entry = from?.entries.get(nameOf(operation.from));
    if (!entry) return;
    to?.entries.set(nameOf(operation.to), entry);
    if (operation.do === "rename") from?.entries.delete(nameOf(operation.from));
  }

  #at(path: string): Entry | undefined {
    return path === this.#path ? this.#root : this.#parentOf(path)?.entries.get(nameOf(path));
  }

  #file(path: string, isNew: boolean): File | undefined {
    const folder = this.#parentOf(path);
    const found = folder?.entries.get(nameOf(path));
    if (found instanceof File) return found;
    if (!folder || found || !isNew) return undefined;
    const file = new File();
    folder.entries.set(nameOf(path), file);
    return file;
  }

  #parentOf(path: string): Folder | undefined {
    return this.#folderOf(path.slice(0, path.lastIndexOf(sep)), false);
  }

  /** `undefined` outside of what is modelled. */
  #folderOf(path: string, isMade: boolean): Folder | undefined {
    if (path !== this.#path && !path.startsWith(this.#path + sep)) return undefined;
    let folder = this.#root;
    for (const name of path.slice(this.#path.length).split(sep).filter(Boolean)) {
      const next = folder.entries.get(name) ?? (isMade ? new Folder() : undefined);
      if (!(next instanceof Folder)) return undefined;
      folder.entries.set(name, next);
      folder = next;
    }
    return folder;
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(sep) + 1);
}

function snapshotOf(entry: Entry): () => void {
  if (entry instanceof File) {
    const { data } = entry;
    return () => {
      entry.durable = data;
    };
  }
  const entries = new Map(entry.entries);
  return () => {
    entry.durable = entries;
  };
}

async function folderAt(path: string): Promise<Folder> {
  const folder = new Folder();
  for (const each of await readdir(path, { withFileTypes: true })) {
    const at = join(path, each.name);
    if (each.isDirectory()) folder.entries.set(each.name, await folderAt(at));
    else if (each.isFile()) {
      const file = new File();
      file.data = await readFile(at);
      file.durable = file.data;
      folder.entries.set(each.name, file);
    }
  }
  folder.durable = new Map(folder.entries);
  return folder;
}

async function writeOut(folder: Folder, path: string, how: Cut): Promise<void> {
  await mkdir(path, { recursive: true });
  for (const name of new Set([...folder.entries.keys(), ...folder.durable.keys()])) {
    const entry = (how.names() ? folder.entries : folder.durable).get(name);
    if (!entry) continue;
    if (entry instanceof Folder) await writeOut(entry, join(path, name), how);
    else await writeFile(join(path, name), remains(entry, how.data()));
  }
}

/** Of what was appended some may be there; any other change is there whole or not at all. */
function remains({ data, durable }: File, share: number): Buffer {
  if (!data.subarray(0, durable.length).equals(durable)) return share < 0.5 ? durable : data;
  return data.subarray(0, durable.length + Math.round((data.length - durable.length) * share));
}
