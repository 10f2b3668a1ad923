import type { IncomingMessage } from "node:http";
import { ApiError, invalid } from "../core/errors.js";
import { parseBody, readBody } from "../core/request-body.js";
import type { ServicesContext } from "../services/context.js";
import { preventOperation } from "./apply-faults.js";
import type { Fault, Faults } from "./faults.js";
import { isRepeated } from "./hosts.js";
import type { IdempotencyKeys } from "./idempotency.js";
import type { Journal } from "./journal.js";
import { type ApiKey, parseApiKey } from "./keys.js";
import type { RateLimit } from "./rate-limit.js";
import { type OutgoingResponse, successResponse } from "./responses.js";
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

/** What is known of a request, for the journal. */
export interface RequestTrace {
  caller?: ApiKey;
  match?: Match;
  body?: unknown;
  fault?: Fault | undefined;
}

interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly url: URL;
  readonly requestId: string;
  readonly trace: RequestTrace;
}

/** Authenticates a request, applies faults, and runs its operation, at most once for an idempotency key. */
export async function handleRequest(
  parts: ApiDependencies,
  request: IncomingMessage,
  arrival: Arrival,
): Promise<OutgoingResponse> {
  const { method, path, trace } = arrival;
  // Always reads the body, so that the connection can be reused after an error.
  const bytes = await readBody(request);
  refuseRepeatedHeader(request, "authorization");
  const caller = parseApiKey(request.headers.authorization);
  trace.caller = caller;
  const match = parts.router.match(method, path);
  trace.match = match;
  if (!caller.mayWrite && method !== "GET") {
    throw new ApiError(403, "FORBIDDEN", "This API key is read-only.");
  }
  parts.rateLimit.count(caller.tenant);
  const fault = parts.faults.strike({ method, path, tenant: caller.tenant });
  trace.fault = fault;
  if (fault) await preventOperation(fault, parts.closing);
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
  { method, url, requestId, trace }: Arrival,
  { bytes, caller, match, fault }: Matched,
): Promise<OutgoingResponse> {
  const { context } = parts;
  refuseRepeatedHeader(request, "content-type");
  trace.body = parseBody(bytes, request.headers["content-type"]);
  context.runDue();
  const stale = fault?.kind === "stale" ? context.store.before(caller.tenant, fault.commits ?? 1) : undefined;
  const { operation } = match;
  const answer = await operation.run({
    tenant: caller.tenant,
    params: match.params,
    query: parseQuery(url),
    body: takesBody(method) ? emptyIfAbsent(trace.body) : undefined,
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
