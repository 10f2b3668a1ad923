import { closeSync, openSync, writeSync } from "node:fs";
import { type MessagePort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { pgDumpProgram } from "./pg-dump-program.js";
import { type Files, runWasi } from "./wasi.js";

/** The input of the pg_dump thread. It has its own thread because it blocks while it waits for responses. */
export interface PgDumpOrder {
  readonly arguments: readonly string[];
  /** The dump file. */
  readonly path: string;
  /** Sends queries and receives responses; finally sends a `PgDumpEnd`. */
  readonly port: MessagePort;
  /** Set to 1 when a response has been sent. */
  readonly signal: Int32Array;
}

export interface PgDumpEnd {
  readonly code: number;
  /** The text of standard error. */
  readonly errors: string;
}

/** This build replaces the socket by two files: one for queries, one for responses. */
const FOLDER = "/tmp/pglite/base";
const SOCKET = ".s.PGSQL.5432";
const OUTPUT = "dump.sql";
/** The program writes one kilobyte at a time. */
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

/** Sends the program's query. The program expects the whole response when this returns. */
function ask(files: Files): void {
  const question = files.take(`${SOCKET}.in`);
  if (question === undefined) return;
  Atomics.store(order.signal, 0, 0);
  order.port.postMessage(question.slice());
  // The notification of an earlier response may arrive late, so check the value.
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
