import type { z } from "zod";
import { type ApiPromise, type ApiResponse, apiPromise, type Meta } from "./api-promise.js";
import type { Clock } from "./clock.js";
import type { CallLimits } from "./deadline.js";
import {
  NotFoundError,
  type ResponseIssue,
  UndocumentedCallError,
  UnreadableResponseError,
} from "./errors.js";
import { isIdentifier } from "./identifier.js";
import { isObject } from "./json.js";
import type { Operation } from "./operation.js";
import { outcomeAdvice, outcomeHint } from "./outcome-hint.js";
import { type ListPromise, listPromise, type RawPage } from "./pages.js";
import { assemblePipeline, type Dependencies, type Pipeline } from "./pipeline.js";
import type { Requirement } from "./reader.js";
import type { DecodedResponse, OutgoingRequest } from "./request.js";
import { checkOptions, type RequestOptions } from "./request-options.js";
import type { Settings } from "./settings.js";
import { unixTime } from "./unix-time.js";
import { buildPath, checkHeaders, checkInput } from "./validate.js";
import { toWire } from "./wire.js";

/**
 * The largest response bodies, bytes. Parsed JSON takes up to about twenty times its size in memory, and many requests
 * are in flight at once.
 */
const DEFAULT_BODY_LIMIT = 4 * 1024 * 1024;
const LARGE_BODY_LIMIT = 64 * 1024 * 1024;

/** The base of the resource classes: turns operations into requests and sends them through one pipeline. */
export class Api {
  /** The base URL without a trailing slash. */
  readonly baseUrl: string;
  /** Milliseconds from the first to the second poll of a wait. */
  readonly pollInterval: number;
  /** The clock of deadlines and pauses. */
  readonly clock: Clock;
  /** Returns a number from 0 up to 1, for jitter. */
  readonly random: () => number;
  /** The client that `within` was called on, or this client. */
  readonly root: Api;
  readonly #settings: Settings;
  readonly #dependencies: Dependencies;
  readonly #pipeline: Pipeline;
  readonly #limits: CallLimits;
  #callCount = 0;

  constructor(settings: Settings, dependencies: Dependencies, view?: { root: Api; limits: CallLimits }) {
    this.baseUrl = settings.baseUrl.href;
    this.pollInterval = settings.pollInterval;
    this.clock = dependencies.clock;
    this.random = dependencies.random;
    this.#settings = settings;
    this.#dependencies = dependencies;
    this.root = view?.root ?? this;
    this.#limits = view?.limits ?? {};
    this.#pipeline = view ? view.root.#pipeline : assemblePipeline(settings, dependencies);
  }

  /** Returns a view with the same limiter and connections, whose calls have these limits only. */
  within(limits: CallLimits): Api {
    return new Api(this.#settings, this.#dependencies, { root: this.root, limits });
  }

  /** Closes the client's own connections after the requests in flight. */
  close(): Promise<void> {
    return this.#pipeline.close();
  }

  /** Sends one request. */
  call<I extends z.ZodType, A extends z.ZodType>(
    operation: Operation<I, A>,
    ids: Readonly<Record<string, unknown>>,
    input: z.input<I>,
    options: RequestOptions = {},
  ): ApiPromise<z.output<A>> {
    return apiPromise(this.#send(operation, ids, input, options));
  }

  /** Requests a list. Iterating the result requests further pages. */
  list<I extends z.ZodType, Item extends z.ZodType>(
    operation: Operation<I, z.ZodArray<Item>>,
    input: z.input<I>,
    options: RequestOptions = {},
  ): ListPromise<z.output<Item>> {
    const fetchPage = async (cursor: string | undefined): Promise<RawPage<z.output<Item>>> => {
      const given: unknown = input;
      const members = isObject(given) ? given : {};
      const request = this.#request(
        operation,
        {},
        cursor === undefined ? given : { ...members, startingAfter: cursor },
        options,
      );
      const response = await this.#pipeline.send(request);
      const { data, ...rest } = toApiResponse(operation, request, response, this.#settings.required);
      return { ...rest, items: data, paging: response.meta };
    };
    return listPromise(fetchPage, operation);
  }

  async #send<I extends z.ZodType, A extends z.ZodType>(
    operation: Operation<I, A>,
    ids: Readonly<Record<string, unknown>>,
    input: unknown,
    options: RequestOptions,
  ): Promise<ApiResponse<z.output<A>>> {
    const request = this.#request(operation, ids, input, options);
    try {
      const response = await this.#pipeline.send(request);
      return toApiResponse(operation, request, response, this.#settings.required);
    } catch (error) {
      // The response to a first DELETE was lost and a retry returns 404: the first one succeeded.
      if (request.method === "DELETE" && error instanceof NotFoundError && error.outcome === "ambiguous") {
        return toApiResponse(
          operation,
          request,
          { status: 404, headers: {}, data: undefined, meta: {} },
          this.#settings.required,
        );
      }
      throw error;
    }
  }

  #request(
    operation: Operation,
    ids: Readonly<Record<string, unknown>>,
    input: unknown,
    options: RequestOptions,
  ): OutgoingRequest {
    const settings = this.#settings;
    const { call, method } = operation;
    if (settings.documentedOnly && operation.basis === "assumed") {
      throw new UndocumentedCallError({
        message: `${call}: the specification does not show ${method} ${operation.path}, and the client has api: "documented"; nothing was sent.`,
        method,
        path: operation.path,
      });
    }
    const path = buildPath(operation.path, ids, { call, method });
    const label = { call, method, path };
    const wireInput = toWire(operation.input, checkInput(operation.input, input, label));
    const checked = checkOptions(options, label);
    const asQuery = method === "GET";
    const body = asQuery || wireInput === undefined ? undefined : JSON.stringify(wireInput);
    const idempotencyKey =
      checked.idempotencyKey ??
      (settings.idempotencyKeys && method === "POST" ? this.#dependencies.uuid() : undefined);
    const left = this.#limits.remaining?.(method) ?? Number.POSITIVE_INFINITY;
    const deadline = Math.max(0, Math.min(checked.deadline ?? settings.deadline, left));
    const signals = [checked.signal, this.#limits.signal].filter((signal) => signal !== undefined);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    this.root.#callCount += 1;
    const headers: Record<string, string> = {
      accept: operation.kind === "svg" ? "image/svg+xml" : "application/json",
      "user-agent": settings.userAgent,
    };
    if (body !== undefined) headers["content-type"] = "application/json";
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    if (checked.headers !== undefined) Object.assign(headers, checkHeaders(checked.headers, label));
    return {
      method,
      origin: settings.baseUrl.origin,
      target: settings.baseUrl.prefix + path + (asQuery ? query(wireInput) : ""),
      path,
      headers,
      ...(body !== undefined && { body }),
      accept: operation.kind === "svg" ? "text" : "json",
      largestBody: operation.isLarge ? LARGE_BODY_LIMIT : DEFAULT_BODY_LIMIT,
      idempotent: (method !== "POST" && method !== "PATCH") || idempotencyKey !== undefined,
      arrival: this.root.#callCount,
      ...(signal !== undefined && { signal }),
      ...(this.#limits.stop !== undefined && { stop: this.#limits.stop }),
      timeout: checked.timeout ?? settings.timeout,
      deadline,
      deadlineAt: this.clock.now() + deadline,
      maxRetries: checked.maxRetries ?? settings.maxRetries,
    };
  }
}

function toApiResponse<I extends z.ZodType, A extends z.ZodType>(
  operation: Operation<I, A>,
  request: OutgoingRequest,
  response: DecodedResponse,
  required: Requirement,
): ApiResponse<z.output<A>> {
  const { status, headers } = response;
  const meta = metaOf(response);
  const read = operation.read(dataOf(operation, response), required);
  const image = operation.kind !== "svg" || String(response.data).includes("<svg");
  if ("value" in read && image) return { data: read.value, meta, status, headers };

  const { method, path } = request;
  const issues = "issues" in read ? read.issues : [notAnImage(headers["content-type"])];
  const list = issues
    .slice(0, 5)
    .map((issue) => `${issue.path}: expected ${issue.expected}, received ${issue.received}`);
  const facts = {
    message: `${method} ${path}: ${status}, but the response does not match the documentation (${list.join("; ")})${outcomeHint(method, "ambiguous")}.`,
    advice: outcomeAdvice(method, "ambiguous"),
    outcome: "ambiguous",
    method,
    path,
    status,
    requestId: meta.requestId,
    timestamp: meta.timestamp,
  } as const;
  throw new UnreadableResponseError(facts, issues, idIn(response.data));
}

function notAnImage(contentType: string | undefined): ResponseIssue {
  return { path: "the body", expected: "an SVG image", received: contentType ?? "no content type" };
}

function dataOf(operation: Operation, response: DecodedResponse): unknown {
  if (operation.bodyNotShown && !isObject(response.data)) return {};
  return response.data;
}

function metaOf(response: DecodedResponse): Meta {
  const requestId = response.meta["request_id"] ?? response.headers["x-request-id"];
  const timestamp = unixTime(response.meta["timestamp"]);
  const meta: { requestId?: string; timestamp?: number } = {};
  if (typeof requestId === "string") meta.requestId = requestId;
  if (timestamp !== undefined) meta.timestamp = timestamp;
  return meta;
}

function idIn(data: unknown): string | undefined {
  if (!isObject(data)) return undefined;
  const id = data["id"] ?? data["inbox_id"];
  return isIdentifier(id) ? id : undefined;
}

function query(wireInput: unknown): string {
  if (!isObject(wireInput)) return "";
  const pairs = Object.entries(wireInput).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
