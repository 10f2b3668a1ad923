import { setTimeout as delay } from "node:timers/promises";
import { ApiError, errorCodes } from "../core/errors.js";
import type { Fault } from "./faults.js";
import type { OutgoingResponse } from "./responses.js";

/** The connection ends without a response. */
export class ConnectionDropped extends Error {}

/** Applies a fault that prevents the operation. */
export async function preventOperation(fault: Fault, closing: AbortSignal): Promise<void> {
  if (fault.kind === "rateLimit") throw injectedError(429, undefined, fault.retryAfter);
  if (!("when" in fault) || fault.when !== "before") return;
  switch (fault.kind) {
    case "status":
      throw injectedError(fault.status, fault.code, fault.retryAfter);
    case "drop":
      throw new ConnectionDropped();
    case "slow":
      // The operation runs even if the client disconnects meanwhile, as in a real service.
      await pause(fault.ms, closing);
      if (closing.aborted) throw new ConnectionDropped();
      return;
    case "html":
      throw new ApiError(fault.status, "INTERNAL_ERROR", "replaced by a page");
  }
}

/** Applies a fault to the response of an operation that has run. */
export async function corruptResponse(
  fault: Fault,
  outgoing: OutgoingResponse,
  showError: (error: ApiError) => OutgoingResponse,
  signal: AbortSignal,
): Promise<OutgoingResponse> {
  if (outgoing.corruption === "drop") return outgoing;
  if (fault.kind === "html") return htmlPage(fault.status);
  if (fault.kind === "cut") return { ...outgoing, corruption: "cut" };
  if (!("when" in fault) || fault.when !== "after") return outgoing;
  switch (fault.kind) {
    case "drop":
      return { ...outgoing, corruption: "drop" };
    case "slow":
      await pause(fault.ms, signal);
      return outgoing;
    case "status":
      return showError(injectedError(fault.status, fault.code, fault.retryAfter));
  }
}

/** Returns the first code with this status. */
function usualCode(status: number): string {
  return Object.entries(errorCodes).find(([, each]) => each.status === status)?.[0] ?? "INTERNAL_ERROR";
}

function injectedError(status: number, code: string | undefined, retryAfter: number | undefined): ApiError {
  return new ApiError(
    status,
    code ?? usualCode(status),
    "This error was injected by a fault of the sandbox.",
    undefined,
    retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
  );
}

function htmlPage(status: number): OutgoingResponse {
  return {
    status,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: "<!doctype html><title>Gateway</title><h1>The page of some gateway</h1>",
  };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
