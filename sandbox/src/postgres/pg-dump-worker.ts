import { closeSync, openSync, writeSync } from "node:fs";
import { type MessagePort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { pgDumpProgram } from "./pg-dump-program.js";
import { type Files, runWasi } from "./wasi.js";

/** What pg_dump is started with, in a thread of its own since it waits for answers without giving way. */
export interface PgDumpOrder {
  readonly arguments: readonly string[];
  /** The file that the dump is written to. */
  readonly path: string;
  /** Takes questions to the server and brings its answers; takes a `PgDumpEnd` in the end. */
  readonly port: MessagePort;
  /** Set to 1 when an answer has been sent. */
  readonly signal: Int32Array;
}

export interface PgDumpEnd {
  readonly code: number;
  /** What was written to standard error. */
  readonly errors: string;
}

/** What stands in for a socket in this build: a file with a question, and one with the answer. */
const FOLDER = "/tmp/pglite/base";
const SOCKET = ".s.PGSQL.5432";
const OUTPUT = "dump.sql";
/** The program writes a kilobyte at a time. */
const WRITTEN_AT_ONCE = 1024 * 1024;

const order: PgDumpOrder = workerData;
const file = openSync(order.path, "w", 0o600);
const waiting = Buffer.alloc(WRITTEN_AT_ONCE);
let length = 0;
let errors = "";

const code = await runWasi(await pgDumpProgram(), {
  arguments: ["pg_dump", ...order.arguments, "-U", "postgres", "-f", `/${OUTPUT}`, "postgres"],
  folder: FOLDER,
  passed: { [OUTPUT]: write },
  complain: (bytes) => {
    errors += Buffer.from(bytes).toString();
  },
  onYield: ask,
});
flush();
closeSync(file);
const end: PgDumpEnd = { code, errors };
order.port.postMessage(end);

/** The program has written a question and expects the whole answer to be there when this returns. */
function ask(files: Files): void {
  const question = files.take(`${SOCKET}.in`);
  if (question === undefined) return;
  Atomics.store(order.signal, 0, 0);
  order.port.postMessage(question.slice());
  // The waking call of the answer before may come late, so waking up alone means nothing.
  while (Atomics.load(order.signal, 0) === 0) Atomics.wait(order.signal, 0, 0);
  const answer: unknown = receiveMessageOnPort(order.port)?.message;
  if (!(answer instanceof Uint8Array)) throw new Error("pg_dump was answered with nothing");
  files.put(`${SOCKET}.out`, answer);
}

function write(bytes: Uint8Array): void {
  if (length + bytes.length > waiting.length) flush();
  if (bytes.length > waiting.length) writeWhole(bytes);
  else {
    waiting.set(bytes, length);
    length += bytes.length;
  }
}

function flush(): void {
  writeWhole(waiting.subarray(0, length));
  length = 0;
}

function writeWhole(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
