import { MessageChannel, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Backend } from "./backend.js";
import type { PgDumpEnd, PgDumpOrder } from "./pg-dump-worker.js";
import { message } from "./protocol.js";

/** Compiled, also where the rest is not: a thread starts from a file of JavaScript. */
const worker = new URL("../../dist/postgres/pg-dump-worker.js", import.meta.url);

/** The first byte of the packet that opens a connection, and the type of the message that ends one. */
const [STARTUP, TERMINATE] = [0, "X".charCodeAt(0)];

/** One row at a time: where rows are large, several would make a longer statement than a server takes. */
const CONTENT = ["--inserts", "--rows-per-insert=1"] as const;

/**
 * What a connection that is dumped over must be opened with: the owner's settings for the database would shape what
 * is read, and with it what comes back. pg_dump itself sees to the others that matter.
 */
export const DUMP_SETTINGS: Readonly<Record<string, string>> = {
  client_encoding: "UTF8",
  standard_conforming_strings: "on",
  bytea_output: "hex",
  role: "none",
};

/** How long somebody may keep a table locked against everybody before the backup gives up. */
const LOCK_WAIT_MS = 10_000;

/** pg_dump refused; the message holds its own words. */
class PgDumpError extends Error {}

/**
 * Writes everything that a database holds to a file of SQL that any client can run: rows as `INSERT`s, and neither
 * owners nor grants, since only one role ever gets into a database.
 *
 * @param backend - A connection to the database with `DUMP_SETTINGS`, used up by this.
 * @param path - The file, which is made. Where this fails, an unfinished one may be left.
 * @throws PgDumpError, or what is wrong with the connection or the disk.
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

/** Passes its questions to the server and the answers back, until it has ended. */
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
      const hear = (told: Uint8Array | PgDumpEnd) => {
        if (!(told instanceof Uint8Array)) resolve(told);
        // The connection is open and its role has been let in, so pg_dump is told just that.
        else if (told[0] === STARTUP) answer(message("R", 0), ...backend.parameters, ready);
        else if (told[0] === TERMINATE) answer();
        else backend.write(Buffer.from(told));
      };
      here.on("message", hear);
      program.once("error", ({ message }) => reject(new PgDumpError(`pg_dump broke off: ${message}`)));
      program.once("exit", () => {
        // Its last word may not have been heard yet.
        const last = receiveMessageOnPort(here);
        if (last) hear(last.message);
        reject(new PgDumpError("pg_dump ended in the middle of its work."));
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

/** What it said is wrong, without the queries that it says it about. */
function errorMessage(errors: string, code: number): string {
  const lines = [...errors.matchAll(/^pg_dump: error: (.+)$/gm)].map(([, text]) => text ?? "");
  return lines.join("; ").slice(0, 500) || `pg_dump ended with status ${code}.`;
}
