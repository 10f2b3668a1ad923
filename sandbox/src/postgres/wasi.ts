import { Directory, Fd, File, type Inode, OpenFile, PreopenDirectory, WASI } from "@bjorn3/browser_wasi_shim";

/*
 * Runs WASI programs with files in memory. `node:wasi` is not used, because on Node 20 it occasionally crashes the
 * process.
 */

const SUCCESS = 0;

type Sink = (bytes: Uint8Array) => void;

export interface WasiOptions {
  readonly arguments: readonly string[];
  /** Absolute path of the folder with the program's files. */
  readonly folder: string;
  /** Receivers of writes to files in the root, by file name. */
  readonly passed: Readonly<Record<string, Sink>>;
  /** Receives standard error. */
  readonly complain: Sink;
  /** Called when the program yields. */
  readonly onYield: (files: Files) => void;
}

/** The program's files in memory, by name. */
export class Files {
  constructor(private readonly contents: Map<string, Inode>) {}

  /** Removes and returns a file. */
  take(name: string): Uint8Array | undefined {
    const file = this.contents.get(name);
    this.contents.delete(name);
    return file instanceof File ? file.data : undefined;
  }

  put(name: string, bytes: Uint8Array): void {
    this.contents.set(name, new File(bytes));
  }
}

/** A file descriptor that passes writes on. */
class SinkFd extends OpenFile {
  constructor(
    file: File,
    private readonly pass: Sink,
  ) {
    super(file);
  }

  override fd_write(data: Uint8Array): { ret: number; nwritten: number } {
    this.pass(data);
    return { ret: SUCCESS, nwritten: data.length };
  }
}

class SinkFile extends File {
  constructor(private readonly pass: Sink) {
    super([]);
  }

  override path_open(): { ret: number; fd_obj: OpenFile } {
    return { ret: SUCCESS, fd_obj: new SinkFd(this, this.pass) };
  }
}

/** A standard stream. */
class Stream extends Fd {
  constructor(private readonly pass: Sink) {
    super();
  }

  override fd_write(data: Uint8Array): { ret: number; nwritten: number } {
    this.pass(data);
    return { ret: SUCCESS, nwritten: data.length };
  }
}

/** Runs a program to its end and returns its exit code. */
export async function runWasi(program: Uint8Array, options: WasiOptions): Promise<number> {
  const contents = new Map<string, Inode>();
  const root = new Map<string, Inode>(
    Object.entries(options.passed).map(([name, pass]) => [name, new SinkFile(pass)]),
  );
  let within = root;
  const parts = options.folder.split("/").filter(Boolean);
  for (const [index, part] of parts.entries()) {
    const inner = index === parts.length - 1 ? contents : new Map<string, Inode>();
    within.set(part, new Directory(inner));
    within = inner;
  }
  const wasi = new WASI(
    [...options.arguments],
    [],
    [
      new Stream(() => {}),
      new Stream(() => {}),
      new Stream(options.complain),
      new PreopenDirectory("/", root),
    ],
    { debug: false },
  );
  const files = new Files(contents);
  let memory: WebAssembly.Memory | undefined;
  const instance = await WebAssembly.instantiate(await WebAssembly.compile(program), {
    wasi_snapshot_preview1: {
      ...wasi.wasiImport,
      sched_yield: () => {
        options.onYield(files);
        return SUCCESS;
      },
      poll_oneoff: (asked: number, events: number, count: number, result: number) =>
        memory ? completePoll(new DataView(memory.buffer), asked, events, count, result) : SUCCESS,
    },
  });
  const { memory: exported, _start } = instance.exports;
  if (!(exported instanceof WebAssembly.Memory) || typeof _start !== "function")
    throw new Error("The program is not a WASI program.");
  memory = exported;
  return wasi.start({ exports: { memory, _start: () => _start() } });
}

/** Marks every awaited event as complete, because responses are synchronous. The library supports only clocks. */
function completePoll(view: DataView, asked: number, events: number, count: number, result: number): number {
  for (let index = 0; index < count; index++) {
    const [from, to] = [asked + 48 * index, events + 32 * index];
    new Uint8Array(view.buffer, to, 32).fill(0);
    view.setBigUint64(to, view.getBigUint64(from, true), true);
    view.setUint8(to + 10, view.getUint8(from + 8));
  }
  view.setUint32(result, count, true);
  return SUCCESS;
}
