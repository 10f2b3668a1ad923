import { Worker } from "node:worker_threads";
import { invalid } from "../../core/errors.js";
import { type ParsedMail, parseMail } from "./parse.js";
import type { WorkerResult } from "./parse-worker.js";

/** Smaller mails are parsed directly, which is faster than starting a thread. */
const SMALL_BYTES = 32_768;

/** Always the compiled file: a thread needs JavaScript. */
const worker = new URL("../../../dist/services/inboxes/parse-worker.js", import.meta.url);

/**
 * Parses a large mail in a thread, because the parser takes microseconds per line and would block other requests.
 * @throws ApiError where the mail cannot be parsed.
 */
export async function parseInWorker(raw: Uint8Array): Promise<ParsedMail> {
  if (raw.length <= SMALL_BYTES) return parseMail(raw);
  // One at a time, because each takes a thread and its memory.
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
    thread.once("exit", () => reject(new Error("The mail parser's thread ended without a result.")));
  });
}
