/**
 * As much of WASI (preview 1) as pg_dump uses: a few files in memory, of which one is passed on as it is written.
 * Node's own `node:wasi` is not used: in Node 20 its calls now and then end the process with a segmentation fault.
 */

const SUCCESS = 0;
const [BADF, INVAL, NOENT, NOSYS] = [8, 28, 44, 52];
const [CREATE, DIRECTORY, TRUNCATE] = [1, 2, 8];
const [FILETYPE_DIRECTORY, FILETYPE_FILE] = [3, 4];
/** The descriptor of the only folder: the root. */
const ROOT = 3;

interface File {
  bytes: Uint8Array;
  length: number;
}

interface Open {
  readonly file: File;
  at: number;
  /** Given whatever is written, instead of keeping it. */
  readonly pass?: ((bytes: Uint8Array) => void) | undefined;
}

/** The program has called `exit`. */
class Exit extends Error {
  constructor(readonly code: number) {
    super(`exit ${code}`);
  }
}

export interface WasiOptions {
  readonly arguments: readonly string[];
  /** Where what is written to a file, or to standard error, goes as it is written; by path. */
  readonly passed: Readonly<Record<string, (bytes: Uint8Array) => void>>;
  /** Called when the program gives way. */
  readonly onYield: (files: Files) => void;
}

/** What standard error is called in `passed`. */
export const STANDARD_ERROR = "stderr";

/** The files that live in memory, by their absolute paths. */
export class Files {
  readonly #files = new Map<string, File>();

  find(path: string): File | undefined {
    return this.#files.get(path);
  }

  create(path: string): File {
    const file = { bytes: new Uint8Array(0), length: 0 };
    this.#files.set(path, file);
    return file;
  }

  /** Takes a file out. */
  take(path: string): Uint8Array | undefined {
    const file = this.#files.get(path);
    this.#files.delete(path);
    return file?.bytes.subarray(0, file.length);
  }

  put(path: string, bytes: Uint8Array): void {
    this.#files.set(path, { bytes, length: bytes.length });
  }

  isFolder(path: string): boolean {
    return path === "/" || [...this.#files.keys()].some((each) => each.startsWith(`${path}/`));
  }
}

/** Runs a program to its end; returns its exit code. */
export async function runWasi(program: Uint8Array, options: WasiOptions): Promise<number> {
  const host = new Host(options);
  const instance = await WebAssembly.instantiate(await WebAssembly.compile(program), {
    wasi_snapshot_preview1: host.imports(),
  });
  const { memory, _start } = instance.exports;
  if (!(memory instanceof WebAssembly.Memory) || typeof _start !== "function")
    throw new Error("The program is none of WASI.");
  host.memory = memory;
  try {
    _start();
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    throw error;
  }
}

class Host {
  memory: WebAssembly.Memory | undefined;
  readonly #options: WasiOptions;
  readonly #files = new Files();
  readonly #open = new Map<number, Open>();
  #next = ROOT + 1;

  constructor(options: WasiOptions) {
    this.#options = options;
    for (const descriptor of [0, 1, 2]) {
      const pass = descriptor === 2 ? options.passed[STANDARD_ERROR] : undefined;
      this.#open.set(descriptor, {
        file: this.#files.create(`descriptor ${descriptor}`),
        at: 0,
        pass: pass ?? ignore,
      });
    }
  }

  /** The functions by the names and with the parameters of the standard. */
  imports(): Readonly<Record<string, (...parameters: never[]) => number>> {
    const done = () => SUCCESS;
    return {
      args_sizes_get: (count: number, size: number) => this.#sizes(this.#arguments(), count, size),
      args_get: (pointers: number, text: number) => this.#texts(this.#arguments(), pointers, text),
      environ_sizes_get: (count: number, size: number) => this.#sizes([], count, size),
      environ_get: done,
      clock_time_get: (_id: number, _precision: bigint, time: number) => {
        this.#view().setBigUint64(time, BigInt(Date.now()) * 1_000_000n, true);
        return SUCCESS;
      },
      fd_advise: done,
      fd_fdstat_set_flags: done,
      fd_sync: done,
      fd_readdir: () => NOSYS,
      path_create_directory: done,
      path_readlink: () => INVAL,
      fd_close: (descriptor: number) => (this.#open.delete(descriptor) ? SUCCESS : BADF),
      fd_prestat_get: (descriptor: number, result: number) => {
        if (descriptor !== ROOT) return BADF;
        this.#view().setUint32(result, 0, true);
        this.#view().setUint32(result + 4, 1, true);
        return SUCCESS;
      },
      fd_prestat_dir_name: (_descriptor: number, path: number) => {
        this.#view().setUint8(path, "/".charCodeAt(0));
        return SUCCESS;
      },
      fd_fdstat_get: (descriptor: number, result: number) => this.#describe(descriptor, result),
      fd_read: (descriptor: number, vectors: number, count: number, read: number) =>
        this.#read(descriptor, this.#vectors(vectors, count), read),
      fd_write: (descriptor: number, vectors: number, count: number, written: number) =>
        this.#write(descriptor, this.#vectors(vectors, count), written),
      fd_seek: (descriptor: number, offset: bigint, whence: number, result: number) =>
        this.#seek(descriptor, Number(offset), whence, result),
      fd_tell: (descriptor: number, result: number) => this.#seek(descriptor, 0, 1, result),
      path_filestat_get: (_root: number, _flags: number, path: number, length: number, result: number) =>
        this.#stat(this.#path(path, length), result),
      path_open: (
        _root: number,
        _lookup: number,
        path: number,
        length: number,
        flags: number,
        _rights: bigint,
        _inherited: bigint,
        _descriptorFlags: number,
        result: number,
      ) => this.#openFile(this.#path(path, length), flags, result),
      path_rename: (
        _a: number,
        from: number,
        fromLength: number,
        _b: number,
        to: number,
        toLength: number,
      ) => {
        const bytes = this.#files.take(this.#path(from, fromLength));
        if (bytes === undefined) return NOENT;
        this.#files.put(this.#path(to, toLength), bytes);
        return SUCCESS;
      },
      path_unlink_file: (_root: number, path: number, length: number) =>
        this.#files.take(this.#path(path, length)) === undefined ? NOENT : SUCCESS,
      poll_oneoff: (asked: number, events: number, count: number, result: number) =>
        this.#ready(asked, events, count, result),
      proc_exit: (code: number) => {
        throw new Exit(code);
      },
      sched_yield: () => {
        this.#options.onYield(this.#files);
        return SUCCESS;
      },
    };
  }

  #arguments(): Uint8Array[] {
    return this.#options.arguments.map((each) => Buffer.from(`${each}\0`));
  }

  #buffer(): ArrayBuffer {
    if (!this.memory) throw new Error("The program has not been started.");
    return this.memory.buffer;
  }

  #view(): DataView {
    return new DataView(this.#buffer());
  }

  #path(at: number, length: number): string {
    const path = Buffer.from(this.#buffer(), at, length).toString();
    return path === "." || path === "" ? "/" : `/${path}`;
  }

  /** The stretches of memory to read into or to write from. */
  #vectors(at: number, count: number): Uint8Array[] {
    const view = this.#view();
    return Array.from({ length: count }, (_, index) => {
      const [start, length] = [
        view.getUint32(at + 8 * index, true),
        view.getUint32(at + 8 * index + 4, true),
      ];
      return new Uint8Array(view.buffer, start, length);
    });
  }

  #sizes(texts: readonly Uint8Array[], count: number, size: number): number {
    this.#view().setUint32(count, texts.length, true);
    this.#view().setUint32(
      size,
      texts.reduce((sum, { length }) => sum + length, 0),
      true,
    );
    return SUCCESS;
  }

  #texts(texts: readonly Uint8Array[], pointers: number, text: number): number {
    let at = text;
    for (const [index, each] of texts.entries()) {
      this.#view().setUint32(pointers + 4 * index, at, true);
      new Uint8Array(this.#buffer()).set(each, at);
      at += each.length;
    }
    return SUCCESS;
  }

  #openFile(path: string, flags: number, result: number): number {
    const found = this.#files.find(path);
    if ((flags & DIRECTORY) !== 0 || (!found && (flags & CREATE) === 0)) return NOENT;
    const file = found ?? this.#files.create(path);
    if ((flags & TRUNCATE) !== 0) file.length = 0;
    const descriptor = this.#next++;
    this.#open.set(descriptor, { file, at: 0, pass: this.#options.passed[path] });
    this.#view().setUint32(result, descriptor, true);
    return SUCCESS;
  }

  #read(descriptor: number, vectors: readonly Uint8Array[], result: number): number {
    const open = this.#open.get(descriptor);
    if (!open) return BADF;
    let total = 0;
    for (const vector of vectors) {
      const part = open.file.bytes.subarray(open.at, Math.min(open.at + vector.length, open.file.length));
      vector.set(part);
      open.at += part.length;
      total += part.length;
    }
    this.#view().setUint32(result, total, true);
    return SUCCESS;
  }

  #write(descriptor: number, vectors: readonly Uint8Array[], result: number): number {
    const open = this.#open.get(descriptor);
    if (!open) return BADF;
    let total = 0;
    for (const vector of vectors) {
      if (open.pass) open.pass(vector);
      else append(open, vector);
      total += vector.length;
    }
    this.#view().setUint32(result, total, true);
    return SUCCESS;
  }

  #seek(descriptor: number, offset: number, whence: number, result: number): number {
    const open = this.#open.get(descriptor);
    if (!open) return BADF;
    open.at = offset + ([0, open.at, open.file.length][whence] ?? 0);
    this.#view().setBigUint64(result, BigInt(open.at), true);
    return SUCCESS;
  }

  #describe(descriptor: number, result: number): number {
    if (descriptor !== ROOT && !this.#open.has(descriptor)) return BADF;
    const view = this.#view();
    view.setUint32(result, descriptor === ROOT ? FILETYPE_DIRECTORY : FILETYPE_FILE, true);
    view.setUint32(result + 4, 0, true);
    // All rights, for itself and for what is opened in it.
    for (const at of [8, 16]) view.setBigUint64(result + at, 0xffff_ffff_ffff_ffffn, true);
    return SUCCESS;
  }

  #stat(path: string, result: number): number {
    const file = this.#files.find(path);
    if (!file && !this.#files.isFolder(path)) return NOENT;
    new Uint8Array(this.#buffer(), result, 64).fill(0);
    this.#view().setUint8(result + 16, file ? FILETYPE_FILE : FILETYPE_DIRECTORY);
    this.#view().setBigUint64(result + 32, BigInt(file?.length ?? 0), true);
    return SUCCESS;
  }

  /** Whatever it waits for has come. */
  #ready(asked: number, events: number, count: number, result: number): number {
    const view = this.#view();
    for (let index = 0; index < count; index++) {
      const [from, to] = [asked + 48 * index, events + 32 * index];
      new Uint8Array(view.buffer, to, 32).fill(0);
      view.setBigUint64(to, view.getBigUint64(from, true), true);
      view.setUint8(to + 10, view.getUint8(from + 8));
    }
    view.setUint32(result, count, true);
    return SUCCESS;
  }
}

function append(open: Open, part: Uint8Array): void {
  const { file, at } = open;
  const end = at + part.length;
  if (end > file.bytes.length) {
    const larger = new Uint8Array(Math.max(2 * file.bytes.length, end, 1024));
    larger.set(file.bytes.subarray(0, file.length));
    file.bytes = larger;
  }
  file.bytes.set(part, at);
  file.length = Math.max(file.length, end);
  open.at = end;
}

function ignore(): void {}
