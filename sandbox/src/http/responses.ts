import type { ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { ApiError } from "../core/errors.js";
import type { Result } from "../core/operation.js";

/** A response that has not been sent, so that a fault can still corrupt it. */
export interface OutgoingResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `cut` announces the full length and stops halfway; `drop` sends nothing. Both close the connection. */
  readonly corruption?: "cut" | "drop";
}

export const dropped: OutgoingResponse = { status: 0, headers: {}, body: "", corruption: "drop" };

const JSON_TYPE = "application/json; charset=utf-8";

export function successResponse(
  status: number,
  answer: Result<unknown>,
  meta: { request_id: string; timestamp: number },
): OutgoingResponse {
  const body = JSON.stringify({ status: "success", data: answer.data, meta: { ...meta, ...answer.page } });
  return { status, headers: { "content-type": JSON_TYPE, "x-request-id": meta.request_id }, body };
}

export function errorResponse(error: ApiError, requestId: string, docUrl: string): OutgoingResponse {
  const { code, message, field } = error;
  const body = JSON.stringify({
    status: "error",
    error: { code, message, ...(field !== undefined && { field }), doc_url: `${docUrl}#${code}` },
  });
  return {
    status: error.status,
    headers: { "content-type": JSON_TYPE, "x-request-id": requestId, ...error.headers },
    body,
  };
}

export async function sendResponse(response: ServerResponse, outgoing: OutgoingResponse): Promise<void> {
  if (outgoing.corruption === "drop") {
    response.destroy();
    return;
  }
  const bytes = Buffer.from(outgoing.body);
  response.writeHead(outgoing.status, { ...outgoing.headers, "content-length": bytes.length });
  if (outgoing.corruption === undefined) {
    response.end(bytes);
    return;
  }
  await new Promise<void>((resolve) => response.write(bytes.subarray(0, bytes.length >> 1), () => resolve()));
  // Lets the first half leave before closing the connection.
  await delay(10);
  response.destroy();
}
