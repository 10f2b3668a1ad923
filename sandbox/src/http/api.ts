import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "../core/errors.js";
import { randomText } from "../core/ids.js";
import { timestamp } from "../state/clock.js";
import { ConnectionDropped, corruptResponse } from "./apply-faults.js";
import { type ApiDependencies, handleRequest, type RequestTrace } from "./handle-request.js";
import { bodyForJournal, queryForJournal } from "./journal.js";
import { dropped, errorResponse, type OutgoingResponse, sendResponse } from "./responses.js";

/** Handles one API request: authenticates it, applies faults, runs its operation, and records it in the journal. */
export async function handleApi(
  parts: ApiDependencies,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const { context } = parts;
  const began = performance.now();
  const arrived = timestamp(context.clock.now());
  const requestId = `req_${randomText(context.random, 20)}`;
  const trace: RequestTrace = {};
  const path = url.pathname.replace(/^\/v1/, "");
  const method = request.method ?? "GET";
  const signal = abortOnClose(response);
  const showError = (error: unknown) => errorResponse(asApiError(error), requestId, parts.docUrl);
  let outgoing: OutgoingResponse;
  try {
    outgoing = await handleRequest(parts, request, { method, path, url, requestId, trace });
  } catch (error) {
    // The client disconnected midway: no response is needed, and this is not an internal error.
    const isDropped = error instanceof ConnectionDropped || !request.complete;
    if (!isDropped && !(error instanceof ApiError)) parts.report(error);
    outgoing = isDropped ? dropped : showError(error);
  }
  try {
    await parts.durable();
  } catch (error) {
    parts.report(error);
    if (outgoing !== dropped) outgoing = showError(error);
  }
  if (trace.fault) outgoing = await corruptResponse(trace.fault, outgoing, showError, signal);
  parts.journal.add({
    requestId,
    time: arrived,
    method,
    path,
    query: queryForJournal(url.searchParams),
    ...(trace.caller && { tenant: trace.caller.tenant }),
    ...(trace.match && { operation: trace.match.operation.id }),
    ...(outgoing.corruption !== "drop" && { status: outgoing.status }),
    ...(trace.fault && { fault: trace.fault.kind }),
    durationMs: Math.round(performance.now() - began),
    ...(trace.body !== undefined && { requestBody: bodyForJournal(trace.body) }),
    ...responseBodyForJournal(outgoing),
  });
  // Virtual time. It is the only time in an error response; by default Node would send the machine's.
  response.setHeader("date", new Date(context.clock.now()).toUTCString());
  await sendResponse(response, outgoing);
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError
    ? error
    : new ApiError(500, "INTERNAL_ERROR", "Internal error; see the sandbox's output.");
}

function responseBodyForJournal(outgoing: OutgoingResponse): { responseBody?: unknown } {
  if (!outgoing.headers["content-type"]?.startsWith("application/json")) return {};
  return { responseBody: bodyForJournal(JSON.parse(outgoing.body)) };
}

/**
 * Returns a signal that aborts when the client disconnects or the server closes, so that a slow response keeps
 * nothing open.
 */
function abortOnClose(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}
