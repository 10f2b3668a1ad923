import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { CloudServicesError, Outcome } from "./base-error.js";
import { ConnectionError, UnreadableResponseError } from "./errors.js";
import { outcomeAdvice, outcomeHint } from "./outcome-hint.js";
import type { OutgoingRequest, RawResponse } from "./request.js";
import { salvageId } from "./salvage-id.js";

/** A request in flight. */
export interface InFlightRequest {
  readonly response: Promise<RawResponse>;
  /** Aborts the request with the error for its outcome, which depends on whether anything was written. */
  abandon(makeError: (outcome: Outcome) => CloudServicesError): void;
}

/** Sends a request. */
export type Transport = (request: OutgoingRequest) => InFlightRequest;

/** What ends an exchange. */
export interface Abortable {
  abort(reason: Error): void;
}

/**
 * Sends a request and collects the response. It uses the dispatcher directly, because only the dispatcher shows whether
 * a failed request had reached a socket; a request that fails earlier is `notSent`. Redirects are not followed.
 */
export function dispatch(dispatcher: Dispatcher, request: OutgoingRequest): InFlightRequest {
  const handler = new Exchange(request);
  try {
    dispatcher.dispatch(
      {
        origin: request.origin,
        path: request.target,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        // The pipeline has its own timeouts; these would fire before them.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      handler,
    );
  } catch (error) {
    handler.fail(error);
  }
  return handler;
}

/** Collects the response to one request, and knows what is certain about it when it fails. */
export class Exchange implements Dispatcher.DispatchHandler, InFlightRequest {
  readonly response: Promise<RawResponse>;
  #resolve: (response: RawResponse) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #finished = false;
  #written = false;
  #controller: Abortable | undefined;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};
  #chunks: Uint8Array[] = [];
  #size = 0;
  readonly #request: OutgoingRequest;

  constructor(request: OutgoingRequest) {
    this.#request = request;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get isFinished(): boolean {
    return this.#finished;
  }

  abandon(makeError: (outcome: Outcome) => CloudServicesError): void {
    if (this.#finished) return;
    const error = makeError(this.#outcome());
    const resourceId = this.#salvagedId();
    if (resourceId !== undefined) Object.assign(error, { resourceId });
    this.#finish();
    this.#reject(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Abortable): void {
    if (this.#finished) {
      // Aborted while it waited for a connection, so it must not be written.
      controller.abort(new Error("aborted before it was sent"));
      return;
    }
    this.#controller = controller;
    this.#written = true;
  }

  onResponseStart(controller: Abortable, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const isLarge = Number(headers["content-length"]) > this.#request.largestBody;
    // The beginning of the response to a create shows the id, so read that first.
    if (isLarge && this.#request.method !== "POST") this.#rejectLargeBody(controller);
  }

  onResponseData(controller: Abortable, chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#finished) return;
    this.#chunks.push(chunk);
    if (this.#size > this.#request.largestBody) this.#rejectLargeBody(controller);
  }

  /** Fails on a body that is too large. A retry would return the same body. */
  #rejectLargeBody(controller: Abortable): void {
    const { method, path, largestBody } = this.#request;
    const status = this.#status;
    if (isClientError(status)) this.#complete();
    if (!this.#finished) {
      const resourceId = this.#salvagedId();
      this.#finish();
      const message = `${method} ${path}: ${status}, but the body is larger than ${largestBody} bytes${outcomeHint(method, "ambiguous")}.`;
      const advice = outcomeAdvice(method, "ambiguous");
      const issue = { path: "the body", expected: `at most ${largestBody} bytes`, received: "more" };
      this.#reject(
        new UnreadableResponseError(
          { message, advice, outcome: "ambiguous", method, path, status, resourceId },
          [issue],
        ),
      );
    }
    controller.abort(new Error("the body is too large"));
  }

  onResponseEnd(): void {
    this.#complete();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    this.fail(error);
  }

  /** @param isNotSent - Whether the cause proves that nothing was sent, although the exchange has started. */
  fail(cause: unknown, isNotSent = false): void {
    if (this.#finished) return;
    // A 4xx means "not carried out", even when its body is cut.
    if (isClientError(this.#status)) {
      this.#complete();
      return;
    }
    const outcome = isNotSent ? "notSent" : this.#outcome();
    const { method, path, origin } = this.#request;
    const status = this.#status;
    const resourceId = this.#salvagedId();
    this.#finish();
    const where =
      outcome === "notSent"
        ? `${origin} cannot be reached`
        : "the connection broke before the response was complete";
    const message = `${method} ${path}: ${where} (${reason(cause)})${outcomeHint(method, outcome)}.`;
    const advice = outcomeAdvice(method, outcome);
    this.#reject(new ConnectionError({ message, advice, outcome, method, path, status, resourceId, cause }));
  }

  #complete(): void {
    if (this.#finished || this.#status === undefined) return;
    const [first] = this.#chunks;
    const body = first instanceof Buffer && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    const response = { status: this.#status, headers: this.#headers, body: body.toString() };
    this.#finish();
    this.#resolve(response);
  }

  /** The id in the received part of the response to a successful create. */
  #salvagedId(): string | undefined {
    const isCreated = this.#status !== undefined && this.#status < 300;
    if (!isCreated || this.#request.method !== "POST") return undefined;
    return salvageId(Buffer.concat(this.#chunks).toString());
  }

  #outcome(): Outcome {
    return this.#written ? "ambiguous" : "notSent";
  }

  #finish(): void {
    this.#finished = true;
    this.#chunks = [];
  }
}

function isClientError(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

/** Returns the code of the system or of undici (`ECONNREFUSED`, `UND_ERR_SOCKET`), and the message. */
function reason(cause: unknown): string {
  if (!(cause instanceof Error)) return "unknown reason";
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  // Several addresses of one host fail as one error without a message.
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : undefined;
  const words = cause.message !== "" ? cause.message : first instanceof Error ? first.message : "";
  if (code === undefined) return words === "" ? cause.name : words;
  return words === "" || words.includes(code) ? words || code : `${code}: ${words}`;
}
