import type { IncomingHttpHeaders } from "node:http";

/** The HTTP method of a request. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** How errors name a request. */
export interface RequestLabel {
  /** The call as a program writes it, e.g. `links.create`. */
  readonly call: string;
  readonly method: Method;
  /** Below the base URL, without the query. */
  readonly path: string;
}

/** A request in the pipeline. A step passes on a copy with its additions. */
export interface OutgoingRequest {
  readonly method: Method;
  readonly origin: string;
  /** The path as sent, with prefix and query. */
  readonly target: string;
  /** The path in errors and logs: below the base URL, without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly accept: "json" | "text";
  /** The largest response body, bytes. */
  readonly largestBody: number;
  /** Whether sending it twice has the same effect as sending it once. */
  readonly idempotent: boolean;
  /** The position among the calls of one client. */
  readonly arrival: number;
  /** Aborts the request, in flight or not. */
  readonly signal?: AbortSignal;
  /** Keeps the request from being sent or retried; a request in flight finishes. */
  readonly stop?: AbortSignal;
  /** Milliseconds for one attempt. */
  readonly timeout: number;
  /** Milliseconds for all attempts and the pauses between them, and when they end by the client's clock. */
  readonly deadline: number;
  readonly deadlineAt: number;
  readonly maxRetries: number;
}

/** A response whose body is not read yet. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A successful response. */
export interface DecodedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `data` of the envelope, or the text where the request accepts text; undefined for an empty body. */
  readonly data: unknown;
  /** `meta` of the envelope, unchanged. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** One step of the pipeline, down to the wire. */
export type Step<A> = (request: OutgoingRequest) => Promise<A>;
