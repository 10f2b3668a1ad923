import { parentPort, workerData } from "node:worker_threads";
import { ApiError } from "../api/error.js";
import { type MailContent, readMail } from "./read.js";

export type Reading = { readonly content: MailContent } | { readonly unreadable: string };

const raw: Uint8Array = workerData;

async function reading(): Promise<Reading> {
  try {
    return { content: await readMail(raw) };
  } catch (error) {
    if (error instanceof ApiError) return { unreadable: error.message };
    throw error;
  }
}

parentPort?.postMessage(await reading());
