import { parentPort, workerData } from "node:worker_threads";
import { ApiError } from "../../core/errors.js";
import { type MailAttachment, type ParsedMail, parseAttachments, parseMail } from "./parse.js";

export interface WorkerTask {
  readonly raw: Uint8Array;
  readonly wants: "content" | "attachments";
}

export type WorkerResult =
  | { readonly content: ParsedMail }
  | { readonly attachments: readonly MailAttachment[] }
  | { readonly unreadable: string };

const { raw, wants }: WorkerTask = workerData;

async function parsed(): Promise<WorkerResult> {
  try {
    return wants === "content"
      ? { content: await parseMail(raw) }
      : { attachments: await parseAttachments(raw) };
  } catch (error) {
    if (error instanceof ApiError) return { unreadable: error.message };
    throw error;
  }
}

parentPort?.postMessage(await parsed());
