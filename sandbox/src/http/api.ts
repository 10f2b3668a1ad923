import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError, errorCodes, invalid } from "../core/errors.js";
import { randomText } from "../core/ids.js";
import { parseBody, readBody } from "../core/request-body.js";
import type { ServicesContext } from "../services/context.js";
import { timestamp } from "../state/clock.js";
import type { Fault, Faults } from "./faults.js";
import { isRepeated } from "./hosts.js";
import type { IdempotencyKeys } from "./idempotency.js";
import { bodyForJournal, type Journal, queryForJournal } from "./journal.js";
import { type ApiKey, parseApiKey } from "./keys.js";
import type { RateLimit } from "./rate-limit.js";
import {
  type Corruption,
  errorResponse,
  type OutgoingResponse,
  sendResponse,
  successResponse,
} from "./responses.js";
import type { Match, Router } from "./router.js";

export interface ApiDependencies {
  readonly context: ServicesContext;
  readonly router: Router;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly rateLimit: RateLimit;
  readonly idempotencyKeys?: IdempotencyKeys;
  /** Aborts when the sandbox closes; ends slow responses. */
  readonly closing: AbortSignal;
  readonly docUrl: string;
  /** Resolves when everything written so far is on disk. */
  readonly durable: () => Promise<void>;
  readonly report: (error: unknown) => void;
}

interface RequestTrace {
  caller?: ApiKey;
  match?: Match;
  body?: unknown;
  fault?: Fault | undefined;
}

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
  let outgoing: OutgoingResponse;
  let spoiling: Corruption = "none";
  try {
    outgoing = await handleRequest(parts, request, { method, path, url, requestId, trace });
  } catch (error) {
    // The client disconnected midway: no response is needed, and this is not an internal error.
    if (error instanceof ConnectionDropped || !request.complete) {
      outgoing = { status: 0, headers: {}, body: "" };
      spoiling = "drop";
    } else {
      if (!(error instanceof ApiError)) parts.report(error);
      outgoing = errorResponse(asApiError(error), requestId, parts.docUrl);
    }
  }
  try {
    await parts.durable();
  } catch (error) {
    parts.report(error);
    outgoing = errorResponse(asApiError(error), requestId, parts.docUrl);
  }
  if (trace.fault)
    ({ outgoing, spoiling } = await corruptResponse(
      parts,
      trace.fault,
      requestId,
      outgoing,
      spoiling,
      signal,
    ));
  parts.journal.add({
    requestId,
    time: arrived,
    method,
    path,
    query: queryForJournal(url.searchParams),
    ...(trace.caller && { tenant: trace.caller.tenant }),
    ...(trace.match && { operation: trace.match.operation.id }),
    ...(spoiling !== "drop" && { status: outgoing.status }),
    ...(trace.fault && { fault: trace.fault.kind }),
    durationMs: Math.round(performance.now() - began),
    ...(trace.body !== undefined && { requestBody: bodyForJournal(trace.body) }),
    ...responseBodyForJournal(outgoing),
  });
  // Virtual time. It is the only time in an error response; by default Node would send the machine's.
  response.setHeader("date", new Date(context.clock.now()).toUTCString());
  await sendResponse(response, outgoing, spoiling);
}

interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly url: URL;
  readonly requestId: string;
  readonly trace: RequestTrace;
}

async function handleRequest(
  parts: ApiDependencies,
  request: IncomingMessage,
  arrival: Arrival,
): Promise<OutgoingResponse> {
  const { method, path, trace: progress } = arrival;
  // Always reads the body, so that the connection can be reused after an error.
  const bytes = await readBody(request);
  refuseRepeatedHeader(request, "authorization");
  const caller = parseApiKey(request.headers.authorization);
  progress.caller = caller;
  const match = parts.router.match(method, path);
  progress.match = match;
  if (!caller.mayWrite && method !== "GET") {
    throw new ApiError(403, "FORBIDDEN", "This API key is read-only.");
  }
  parts.rateLimit.count(caller.tenant);
  const fault = parts.faults.strike({ method, path, tenant: caller.tenant });
  progress.fault = fault;
  if (fault) await applyBeforeOperation(fault, parts.closing);
  const key = request.headers["idempotency-key"];
  const perform = () => runOperation(parts, request, arrival, { bytes, caller, match, fault });
  if (parts.idempotencyKeys && method === "POST" && typeof key === "string") {
    return parts.idempotencyKeys.once({ tenant: caller.tenant, path, key }, bytes, perform);
  }
  return perform();
}

interface Matched {
  readonly bytes: Buffer | undefined;
  readonly caller: ApiKey;
  readonly match: Match;
  readonly fault: Fault | undefined;
}

async function runOperation(
  parts: ApiDependencies,
  request: IncomingMessage,
  { method, url, requestId, trace: progress }: Arrival,
  { bytes, caller, match, fault }: Matched,
): Promise<OutgoingResponse> {
  const { context } = parts;
  refuseRepeatedHeader(request, "content-type");
  progress.body = parseBody(bytes, request.headers["content-type"]);
  context.runDue();
  const stale = fault?.kind === "stale" ? context.store.before(caller.tenant, fault.commits ?? 1) : undefined;
  const { operation } = match;
  const answer = await operation.run({
    tenant: caller.tenant,
    params: match.params,
    query: parseQuery(url),
    body: takesBody(method) ? emptyIfAbsent(progress.body) : undefined,
    context,
    tables: stale ?? context.store.tables,
    isStale: stale !== undefined,
    write: (body) => context.store.write(caller.tenant, body),
  });
  if (operation.contentType !== undefined) {
    return {
      status: operation.success,
      headers: { "content-type": operation.contentType, "x-request-id": requestId },
      body: String(answer.data),
    };
  }
  return successResponse(operation.success, answer, {
    request_id: requestId,
    timestamp: Math.floor(context.clock.now() / 1000),
  });
}

function refuseRepeatedHeader(request: IncomingMessage, name: string): void {
  if (isRepeated(request, name)) throw invalid(`The header "${name}" is given more than once.`);
}

function takesBody(method: string): boolean {
  return method !== "GET" && method !== "DELETE";
}

/** Treats an absent body as `{}`, for operations whose fields are all optional. */
function emptyIfAbsent(body: unknown): unknown {
  return body === undefined ? {} : body;
}

function parseQuery(url: URL): Record<string, string> {
  // A map, because assigning `__proto__` to an object would not create a member.
  const query = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (query.has(name)) throw invalid(`"${name}" is given more than once.`, name);
    query.set(name, value);
  }
  return Object.fromEntries(query);
}

class ConnectionDropped extends Error {}

/** Applies a fault that prevents the operation. */
async function applyBeforeOperation(fault: Fault, closing: AbortSignal): Promise<void> {
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
async function corruptResponse(
  parts: ApiDependencies,
  fault: Fault,
  requestId: string,
  outgoing: OutgoingResponse,
  spoiling: Corruption,
  signal: AbortSignal,
): Promise<{ outgoing: OutgoingResponse; spoiling: Corruption }> {
  if (fault.kind === "html") return { outgoing: htmlPage(fault.status), spoiling };
  if (fault.kind === "cut") return { outgoing, spoiling: "cut" };
  if (!("when" in fault) || fault.when !== "after") return { outgoing, spoiling };
  switch (fault.kind) {
    case "drop":
      return { outgoing, spoiling: "drop" };
    case "slow":
      await pause(fault.ms, signal);
      return { outgoing, spoiling };
    case "status":
      return {
        outgoing: errorResponse(
          injectedError(fault.status, fault.code, fault.retryAfter),
          requestId,
          parts.docUrl,
        ),
        spoiling,
      };
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
