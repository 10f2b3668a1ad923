import type { OutgoingRequest } from "./request.js";
import { Exchange, type InFlightRequest } from "./transport.js";

/** What the client needs of `fetch`. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** A request as the client passes it to `fetch`. */
export interface FetchInit {
  /** The HTTP method. */
  readonly method: string;
  /** The headers, with the API key. */
  readonly headers: Record<string, string>;
  /** The body as JSON. Absent: no body. */
  readonly body?: string;
  /** Redirects are never followed. */
  readonly redirect: "manual";
  /** Set for what is not only read: under Bun, the request then gets a connection of its own. The default elsewhere. */
  readonly keepalive?: false;
  /** Aborts the request at a timeout, at a deadline, or when the caller aborts. */
  readonly signal: AbortSignal;
}

/**
 * Sends a request by `fetch` and collects the response. `fetch` does not show whether a failed request had reached a
 * socket, so a failure is `ambiguous` unless its code proves the opposite.
 */
export function sendByFetch(fetch: Fetch, request: OutgoingRequest): InFlightRequest {
  const exchange = new Exchange(request);
  const controller = new AbortController();
  exchange.onRequestStart(controller);
  run(fetch, request, exchange, controller).catch((error: unknown) => {
    const cause = causeOf(error);
    exchange.fail(cause, isConnectFailure(cause));
  });
  return exchange;
}

async function run(
  fetch: Fetch,
  { origin, target, method, headers, body }: OutgoingRequest,
  exchange: Exchange,
  controller: AbortController,
): Promise<void> {
  const response = await fetch(origin + target, {
    method,
    headers: { ...headers },
    ...(body !== undefined && { body }),
    redirect: "manual",
    // Bun up to 1.3.11 sends a POST again when a reused connection ends before the response.
    ...(method !== "GET" && { keepalive: false }),
    signal: controller.signal,
  });
  // Browsers and some edge runtimes hide the status of a redirect.
  const status = response.type === "opaqueredirect" ? 302 : response.status;
  exchange.onResponseStart(controller, status, Object.fromEntries(response.headers));
  for await (const chunk of response.body ?? []) {
    // Ends the stream also where `fetch` ignores its signal.
    if (exchange.isFinished) return;
    exchange.onResponseData(controller, chunk);
  }
  exchange.onResponseEnd();
}

/** Returns the reason that Node.js hides behind "fetch failed". */
function causeOf(error: unknown): unknown {
  return error instanceof TypeError && error.cause instanceof Error ? error.cause : error;
}

/** The codes of Node.js and of Bun for a connection that was never made. */
const CONNECT_FAILURES: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
]);

function isConnectFailure(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && CONNECT_FAILURES.has(cause.code);
}
