import type { IncomingHttpHeaders } from "node:http";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** How errors name a request. */
export interface RequestLabel {
  /** The call as a program writes it, e.g. `links.create`. */
  readonly call: string;
  readonly method: Method;
  /** Below the base URL, without the query. */
  readonly path: string;
}

/** A request on its way down the pipeline. A step passes on a copy with what it knows added. */
export interface OutgoingRequest {
  readonly method: Method;
  readonly origin: string;
  /** As sent, with prefix and query. */
  readonly target: string;
  /** As told in errors and logs: below the base URL, without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly accept: "json" | "text";
  /** The largest body of a response that is read, bytes. */
  readonly largestBody: number;
  /** Whether sending it twice has the effect of sending it once. */
  readonly idempotent: boolean;
  /** Order among the calls of one client. */
  readonly arrival: number;
  /** Gives the request up, in flight or not. */
  readonly signal?: AbortSignal;
  /** Keeps the request from being sent, or sent again; a request in flight finishes. */
  readonly stop?: AbortSignal;
  /** Milliseconds for one attempt. */
  readonly timeout: number;
  /** Milliseconds for all attempts and the waits between them, and when that is over by the client's clock. */
  readonly deadline: number;
  readonly deadlineAt: number;
  readonly maxRetries: number;
}

/** What came back, before anybody looked into the body. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a successful answer carries. */
export interface DecodedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** `data` of the envelope, or the text where text was asked for; undefined for an empty body. */
  readonly data: unknown;
  /** `meta` of the envelope as it came. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** One step of the pipeline, down to the wire. */
export type Step<A> = (request: OutgoingRequest) => Promise<A>;
