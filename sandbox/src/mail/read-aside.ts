import { Worker } from "node:worker_threads";
import { invalid } from "../api/error.js";
import { type MailContent, readMail } from "./read.js";
import type { Reading } from "./read-worker.js";

/** Read on the spot up to here: a thread takes longer to start than such a mail to be read. */
const SMALL_BYTES = 32_768;

/** Compiled, also where the rest is not: a thread starts from a file of JavaScript. */
const worker = new URL("../../dist/mail/read-worker.js", import.meta.url);

/**
 * Reads a mail without keeping others waiting: the parser takes some microseconds a line, without giving way.
 *
 * @throws ApiError where the mail is none that can be read.
 */
export async function readAside(raw: Uint8Array): Promise<MailContent> {
  if (raw.length <= SMALL_BYTES) return readMail(raw);
  // One after the other, since each takes a thread and its memory.
  const turn = last.then(() => inThread(raw));
  last = turn.catch(() => {});
  const reading = await turn;
  if ("unreadable" in reading) throw invalid(reading.unreadable);
  return reading.content;
}

let last: Promise<unknown> = Promise.resolve();

function inThread(raw: Uint8Array): Promise<Reading> {
  return new Promise<Reading>((resolve, reject) => {
    const thread = new Worker(worker, { workerData: raw });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("The thread that reads a mail ended without an answer.")));
  });
}
