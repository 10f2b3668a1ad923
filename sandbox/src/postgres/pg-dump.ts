import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Backend } from "./backend.js";
import type { PgDumpEnd, PgDumpOrder } from "./pg-dump-worker.js";
import { message } from "./protocol.js";

/** Always the compiled file: a thread needs JavaScript. */
const worker = new URL("../../dist/postgres/pg-dump-worker.js", import.meta.url);

/** The first byte of a startup packet, and the type of the message that closes a connection. */
const [STARTUP, TERMINATE] = [0, "X".charCodeAt(0)];

/** One row per statement, because several large rows could exceed the maximum length. */
const CONTENT = ["--inserts", "--rows-per-insert=1"] as const;

/**
 * Settings of the connection to dump. Otherwise, settings of the database's owner would change what is read. pg_dump
 * sets the others that matter.
 */
export const DUMP_SETTINGS: Readonly<Record<string, string>> = {
  client_encoding: "UTF8",
  standard_conforming_strings: "on",
  bytea_output: "hex",
  role: "none",
};

/** How long a backup waits for a locked table. */
const LOCK_WAIT_MS = 10_000;

/** pg_dump failed; the message is its own. */
class PgDumpError extends Error {}

/**
 * Dumps a database to SQL that any client can run: rows as `INSERT`s, without owners or grants, because only one role
 * has access.
 * @param backend - A connection with `DUMP_SETTINGS`, which this closes.
 * @param path - The file to create. On failure, it may remain incomplete.
 * @throws PgDumpError, or an error of the connection or the disk.
 */
export async function pgDump(backend: Backend, path: string): Promise<void> {
  try {
    const { code, errors } = await runPgDump(backend, {
      arguments: [
        ...CONTENT,
        "--encoding=UTF8",
        "--no-owner",
        "--no-privileges",
        "--no-sync",
        `--lock-wait-timeout=${LOCK_WAIT_MS}`,
      ],
      path,
    });
    if (code !== 0) throw new PgDumpError(errorMessage(errors, code));
  } finally {
    backend.destroy();
  }
}

/** Relays queries and responses between pg_dump and the server until pg_dump ends. */
async function runPgDump(backend: Backend, order: Omit<PgDumpOrder, "port" | "signal">): Promise<PgDumpEnd> {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const { port1: here, port2: there } = new MessageChannel();
  const answer = (...parts: readonly Buffer[]) => {
    const bytes = new Uint8Array(Buffer.concat(parts));
    here.postMessage(bytes, [bytes.buffer]);
    Atomics.store(signal, 0, 1);
    Atomics.notify(signal, 0);
  };
  const ready = message("Z", Buffer.from("I"));
  const workerData: PgDumpOrder = { ...order, port: there, signal };
  const program = new Worker(worker, { workerData, transferList: [there] });
  try {
    return await new Promise<PgDumpEnd>((resolve, reject) => {
      const hear = (data: Uint8Array | PgDumpEnd) => {
        if (!(data instanceof Uint8Array)) resolve(data);
        // The connection is already authenticated, so accept pg_dump's startup.
        else if (data[0] === STARTUP) answer(message("R", 0), ...backend.parameters, ready);
        else if (data[0] === TERMINATE) answer();
        else backend.write(Buffer.from(data));
      };
      here.on("message", hear);
      program.once("error", ({ message }) => reject(new PgDumpError(`pg_dump failed: ${message}`)));
      program.once("exit", () => {
        // Its last message may not have been received yet.
        const last = receiveMessageOnPort(here);
        if (last) hear(last.message);
        reject(new PgDumpError("pg_dump ended early."));
      });
      let parts: Buffer[] = [];
      backend.onMessage = ({ type, bytes }) => {
        parts.push(bytes);
        if (type !== "Z") return;
        answer(...parts);
        parts = [];
      };
      backend.onClose = () => reject(new PgDumpError("The database server closed the connection."));
      if (backend.isClosed) reject(new PgDumpError("The database server closed the connection."));
    });
  } finally {
    here.close();
    await program.terminate();
  }
}

/** Extracts errors without the queries that caused them. */
function errorMessage(errors: string, code: number): string {
  const lines = [...errors.matchAll(/^pg_dump: error: (.+)$/gm)].map(([, text]) => text ?? "");
  return lines.join("; ").slice(0, 500) || `pg_dump ended with status ${code}.`;
}
