import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { ApiError, errorCodes, invalid } from "../api/error.js";
import type { Fault, Faults } from "../control/faults.js";
import { type Journal, kept, keptQuery } from "../control/journal.js";
import { randomText } from "../identity.js";
import { timestamp } from "../state/clock.js";
import type { World } from "../world.js";
import { failure, type Outgoing, type Spoiling, send, success } from "./answer.js";
import { parseBody, readBody } from "./body.js";
import { isTwice } from "./hosts.js";
import type { IdempotencyKeys } from "./idempotency.js";
import { type Caller, callerOf } from "./keys.js";
import type { RateLimit } from "./rate-limit.js";
import type { Match, Router } from "./router.js";

export interface ApiParts {
  readonly world: World;
  readonly router: Router;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly rateLimit: RateLimit;
  readonly idempotencyKeys?: IdempotencyKeys;
  /** Ends when the sandbox closes, and with it what is merely slow. */
  readonly closing: AbortSignal;
  readonly docUrl: string;
  /** Resolves when everything written so far is on disk. */
  readonly durable: () => Promise<void>;
  readonly report: (error: unknown) => void;
}

interface Progress {
  caller?: Caller;
  match?: Match;
  body?: unknown;
  fault?: Fault | undefined;
}

/** One request to the API: recognised, perhaps struck by a fault, carried out, answered, and put in the journal. */
export async function handleApi(
  parts: ApiParts,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const { world } = parts;
  const began = performance.now();
  const arrived = timestamp(world.clock.now());
  const requestId = `req_${randomText(world.random, 20)}`;
  const progress: Progress = {};
  const path = url.pathname.replace(/^\/v1/, "");
  const method = request.method ?? "GET";
  const signal = gone(response);
  let outgoing: Outgoing;
  let spoiling: Spoiling = "none";
  try {
    outgoing = await carryOut(parts, request, { method, path, url, requestId, progress });
  } catch (error) {
    // A caller that hangs up in the middle of its request is answered as it wished, and is no fault of ours.
    if (error instanceof Dropped || !request.complete) {
      outgoing = { status: 0, headers: {}, body: "" };
      spoiling = "drop";
    } else {
      if (!(error instanceof ApiError)) parts.report(error);
      outgoing = failure(asApiError(error), requestId, parts.docUrl);
    }
  }
  try {
    await parts.durable();
  } catch (error) {
    parts.report(error);
    outgoing = failure(asApiError(error), requestId, parts.docUrl);
  }
  if (progress.fault)
    ({ outgoing, spoiling } = await spoil(parts, progress.fault, requestId, outgoing, spoiling, signal));
  parts.journal.add({
    requestId,
    time: arrived,
    method,
    path,
    query: keptQuery(url.searchParams),
    ...(progress.caller && { tenant: progress.caller.tenant }),
    ...(progress.match && { operation: progress.match.operation.id }),
    ...(spoiling !== "drop" && { status: outgoing.status }),
    ...(progress.fault && { fault: progress.fault.kind }),
    durationMs: Math.round(performance.now() - began),
    ...(progress.body !== undefined && { requestBody: kept(progress.body) }),
    ...shownBody(outgoing),
  });
  // The only time in an error; without it, the server would tell the machine's.
  response.setHeader("date", new Date(world.clock.now()).toUTCString());
  await send(response, outgoing, spoiling);
}

interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly url: URL;
  readonly requestId: string;
  readonly progress: Progress;
}

async function carryOut(parts: ApiParts, request: IncomingMessage, arrival: Arrival): Promise<Outgoing> {
  const { method, path, progress } = arrival;
  // Always read, so that the connection can be used again after an error.
  const bytes = await readBody(request);
  refuseTwice(request, "authorization");
  const caller = callerOf(request.headers.authorization);
  progress.caller = caller;
  const match = parts.router.match(method, path);
  progress.match = match;
  if (!caller.mayWrite && method !== "GET") {
    throw new ApiError(403, "FORBIDDEN", "This API key may only read.");
  }
  parts.rateLimit.count(caller.tenant);
  const fault = parts.faults.strike({ method, path, tenant: caller.tenant });
  progress.fault = fault;
  if (fault) await before(fault, parts.closing);
  const key = request.headers["idempotency-key"];
  const perform = () => performOnce(parts, request, arrival, { bytes, caller, match, fault });
  if (parts.idempotencyKeys && method === "POST" && typeof key === "string") {
    return parts.idempotencyKeys.once({ tenant: caller.tenant, path, key }, bytes, perform);
  }
  return perform();
}

interface Recognised {
  readonly bytes: Buffer | undefined;
  readonly caller: Caller;
  readonly match: Match;
  readonly fault: Fault | undefined;
}

async function performOnce(
  parts: ApiParts,
  request: IncomingMessage,
  { method, url, requestId, progress }: Arrival,
  { bytes, caller, match, fault }: Recognised,
): Promise<Outgoing> {
  const { world } = parts;
  refuseTwice(request, "content-type");
  progress.body = parseBody(bytes, request.headers["content-type"]);
  world.runDue();
  const stale = fault?.kind === "stale" ? world.store.before(caller.tenant, fault.commits ?? 1) : undefined;
  const { operation } = match;
  const answer = await operation.run({
    tenant: caller.tenant,
    params: match.params,
    query: queryOf(url),
    body: takesBody(method) ? absentAsEmpty(progress.body) : undefined,
    world,
    tables: stale ?? world.store.tables,
    isStale: stale !== undefined,
    write: (body) => world.store.write(caller.tenant, body),
  });
  if (operation.contentType !== undefined) {
    return {
      status: operation.success,
      headers: { "content-type": operation.contentType, "x-request-id": requestId },
      body: String(answer.data),
    };
  }
  return success(operation.success, answer, {
    request_id: requestId,
    timestamp: Math.floor(world.clock.now() / 1000),
  });
}

function refuseTwice(request: IncomingMessage, name: string): void {
  if (isTwice(request, name)) throw invalid(`The header "${name}" is given more than once.`);
}

function takesBody(method: string): boolean {
  return method !== "GET" && method !== "DELETE";
}

/** Where every field is optional, saying nothing is saying `{}`. */
function absentAsEmpty(body: unknown): unknown {
  return body === undefined ? {} : body;
}

function queryOf(url: URL): Record<string, string> {
  // Not an object from the start: setting its `__proto__` would not make a member.
  const query = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (query.has(name)) throw invalid(`"${name}" is given more than once.`, name);
    query.set(name, value);
  }
  return Object.fromEntries(query);
}

class Dropped extends Error {}

/** A fault that strikes before the operation: it never takes place. */
async function before(fault: Fault, closing: AbortSignal): Promise<void> {
  if (fault.kind === "rateLimit") throw injected(429, undefined, fault.retryAfter);
  if (!("when" in fault) || fault.when !== "before") return;
  switch (fault.kind) {
    case "status":
      throw injected(fault.status, fault.code, fault.retryAfter);
    case "drop":
      throw new Dropped();
    case "slow":
      // A caller that hangs up meanwhile does not stop the service from doing it in the end.
      await pause(fault.ms, closing);
      if (closing.aborted) throw new Dropped();
      return;
    case "html":
      throw new ApiError(fault.status, "INTERNAL_ERROR", "replaced by a page");
  }
}

/** A fault that strikes after the operation: it has taken place, and the answer is spoiled. */
async function spoil(
  parts: ApiParts,
  fault: Fault,
  requestId: string,
  outgoing: Outgoing,
  spoiling: Spoiling,
  signal: AbortSignal,
): Promise<{ outgoing: Outgoing; spoiling: Spoiling }> {
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
        outgoing: failure(injected(fault.status, fault.code, fault.retryAfter), requestId, parts.docUrl),
        spoiling,
      };
  }
}

/** The first code that has the status. */
function usualCode(status: number): string {
  return Object.entries(errorCodes).find(([, each]) => each.status === status)?.[0] ?? "INTERNAL_ERROR";
}

function injected(status: number, code: string | undefined, retryAfter: number | undefined): ApiError {
  return new ApiError(
    status,
    code ?? usualCode(status),
    "This error was injected by a fault of the sandbox.",
    undefined,
    retryAfter === undefined ? {} : { "retry-after": String(retryAfter) },
  );
}

function htmlPage(status: number): Outgoing {
  return {
    status,
    headers: { "content-type": "text/html; charset=utf-8" },
    body: "<!doctype html><title>Gateway</title><h1>The page of some gateway</h1>",
  };
}

function asApiError(error: unknown): ApiError {
  return error instanceof ApiError
    ? error
    : new ApiError(500, "INTERNAL_ERROR", "The sandbox failed; its own output says why.");
}

function shownBody(outgoing: Outgoing): { responseBody?: unknown } {
  if (!outgoing.headers["content-type"]?.startsWith("application/json")) return {};
  return { responseBody: kept(JSON.parse(outgoing.body)) };
}

/** Aborts when the caller hangs up or the server closes, so that a slow answer holds nothing open. */
function gone(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  return controller.signal;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => {});
}
