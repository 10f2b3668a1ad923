import { Worker } from "node:worker_threads";
import { invalid } from "../../core/errors.js";
import { type MailAttachment, type ParsedMail, parseAttachments, parseMail } from "./parse.js";
import type { WorkerResult, WorkerTask } from "./parse-worker.js";

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
  const result = await inTurn({ raw, wants: "content" });
  if (!("content" in result)) throw new Error("The mail parser's thread returned something else.");
  return result.content;
}

/** Decodes the attachments of a mail, of a large one in a thread. */
export async function attachmentsInWorker(raw: Uint8Array): Promise<readonly MailAttachment[]> {
  if (raw.length <= SMALL_BYTES) return parseAttachments(raw);
  const result = await inTurn({ raw, wants: "attachments" });
  if (!("attachments" in result)) throw new Error("The mail parser's thread returned something else.");
  return result.attachments;
}

let last: Promise<unknown> = Promise.resolve();

/** Runs one thread at a time, because each takes its memory. */
async function inTurn(task: WorkerTask): Promise<WorkerResult> {
  const turn = last.then(() => runWorker(task));
  last = turn.catch(() => {});
  const result = await turn;
  if ("unreadable" in result) throw invalid(result.unreadable);
  return result;
}

function runWorker(task: WorkerTask): Promise<WorkerResult> {
  return new Promise<WorkerResult>((resolve, reject) => {
    const thread = new Worker(worker, { workerData: task });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("The mail parser's thread ended without a result.")));
  });
}
