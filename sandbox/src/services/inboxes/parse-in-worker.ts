import { Worker } from "node:worker_threads";
import { invalid } from "../../core/errors.js";
import { type ParsedMail, parseMail } from "./parse.js";
import type { WorkerResult } from "./parse-worker.js";

/** Read on the spot up to here: a thread takes longer to start than such a mail to be read. */
const SMALL_BYTES = 32_768;

/** Compiled, also where the rest is not: a thread starts from a file of JavaScript. */
const worker = new URL("../../../dist/services/inboxes/parse-worker.js", import.meta.url);

/**
 * Reads a mail without keeping others waiting: the parser takes some microseconds a line, without giving way.
 *
 * @throws ApiError where the mail is none that can be read.
 */
export async function parseInWorker(raw: Uint8Array): Promise<ParsedMail> {
  if (raw.length <= SMALL_BYTES) return parseMail(raw);
  // One after the other, since each takes a thread and its memory.
  const turn = last.then(() => runWorker(raw));
  last = turn.catch(() => {});
  const reading = await turn;
  if ("unreadable" in reading) throw invalid(reading.unreadable);
  return reading.content;
}

let last: Promise<unknown> = Promise.resolve();

function runWorker(raw: Uint8Array): Promise<WorkerResult> {
  return new Promise<WorkerResult>((resolve, reject) => {
    const thread = new Worker(worker, { workerData: raw });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("The thread that reads a mail ended without an answer.")));
  });
}
