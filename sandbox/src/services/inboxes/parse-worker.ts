import { parentPort, workerData } from "node:worker_threads";
import { ApiError } from "../../core/errors.js";
import { type ParsedMail, parseMail } from "./parse.js";

export type WorkerResult = { readonly content: ParsedMail } | { readonly unreadable: string };

const raw: Uint8Array = workerData;

async function parsed(): Promise<WorkerResult> {
  try {
    return { content: await parseMail(raw) };
  } catch (error) {
    if (error instanceof ApiError) return { unreadable: error.message };
    throw error;
  }
}

parentPort?.postMessage(await parsed());
