import type { z } from "zod";
import { type Answered, answered, type Meta, type Received } from "./answered.js";
import type { CallBounds } from "./bounds.js";
import type { Clock } from "./clock.js";
import { type AnswerIssue, NotFoundError, UndocumentedCallError, UnreadableAnswerError } from "./errors.js";
import { fate } from "./fate.js";
import { isIdentifier } from "./identifier.js";
import { isObject } from "./json.js";
import type { Operation } from "./operation.js";
import { type ListAnswer, listed, type PageOf } from "./pages.js";
import { assemble, type Pipeline, type Surroundings } from "./pipeline.js";
import type { Answer, OutgoingRequest } from "./request.js";
import { checkedOptions, type RequestOptions } from "./request-options.js";
import type { Settings } from "./settings.js";
import { unixTime } from "./unix-time.js";
import { filledPath, validHeaders, validInput } from "./validate.js";
import { toWire } from "./wire.js";

/**
 * The largest bodies that are read, bytes. JSON takes some twenty times its size in memory at worst, and many requests
 * are in flight at once.
 */
const USUAL_BODY = 4 * 1024 * 1024;
const LARGE_BODY = 64 * 1024 * 1024;

/** What the areas are made of: it turns operations into requests, and sends them down one pipeline. */
export class Api {
  /** Normalised: without a trailing slash. */
  readonly baseUrl: string;
  readonly pollInterval: number;
  readonly clock: Clock;
  readonly random: () => number;
  /** What the views of one client have in common; itself, unless it is such a view. */
  readonly root: Api;
  readonly #settings: Settings;
  readonly #surroundings: Surroundings;
  readonly #pipeline: Pipeline;
  readonly #bounds: CallBounds;
  #arrivals = 0;

  constructor(settings: Settings, surroundings: Surroundings, view?: { root: Api; bounds: CallBounds }) {
    this.baseUrl = settings.baseUrl.href;
    this.pollInterval = settings.pollInterval;
    this.clock = surroundings.clock;
    this.random = surroundings.random;
    this.#settings = settings;
    this.#surroundings = surroundings;
    this.root = view?.root ?? this;
    this.#bounds = view?.bounds ?? {};
    this.#pipeline = view ? view.root.#pipeline : assemble(settings, surroundings);
  }

  /** The same service through the same limiter and connections, each call within these bounds and no others. */
  within(bounds: CallBounds): Api {
    return new Api(this.#settings, this.#surroundings, { root: this.root, bounds });
  }

  /** Closes the client's own idle connections, after the requests that are in the air. */
  close(): Promise<void> {
    return this.#pipeline.close();
  }

  /** Asks one operation of the service. */
  call<I extends z.ZodType, A extends z.ZodType>(
    operation: Operation<I, A>,
    ids: Readonly<Record<string, unknown>>,
    input: z.input<I>,
    options: RequestOptions = {},
  ): Answered<z.output<A>> {
    return answered(this.#ask(operation, ids, input, options));
  }

  /** Asks for a list, which goes on to its next pages by itself when it is iterated. */
  list<I extends z.ZodType, Item extends z.ZodType>(
    operation: Operation<I, z.ZodArray<Item>>,
    input: z.input<I>,
    options: RequestOptions = {},
  ): ListAnswer<z.output<Item>> {
    const { method, path } = operation;
    const page = async (cursor: string | undefined): Promise<PageOf<z.output<Item>>> => {
      const given: unknown = input;
      const members = isObject(given) ? given : {};
      const request = this.#request(
        operation,
        {},
        cursor === undefined ? given : { ...members, startingAfter: cursor },
        options,
      );
      const answer = await this.#pipeline.send(request);
      const { data, ...rest } = received(operation, request, answer);
      return { ...rest, items: data, paging: answer.meta };
    };
    return listed(page, { method, path });
  }

  async #ask<I extends z.ZodType, A extends z.ZodType>(
    operation: Operation<I, A>,
    ids: Readonly<Record<string, unknown>>,
    input: unknown,
    options: RequestOptions,
  ): Promise<Received<z.output<A>>> {
    const request = this.#request(operation, ids, input, options);
    try {
      return received(operation, request, await this.#pipeline.send(request));
    } catch (error) {
      // The answer to a first DELETE was lost, and the second finds nothing: the first did it.
      if (request.method === "DELETE" && error instanceof NotFoundError && error.outcome === "ambiguous") {
        return received(operation, request, { status: 404, headers: {}, data: undefined, meta: {} });
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
        message: `${call}: the specification does not show ${method} ${operation.path}, and the client was made with api: "documented". Nothing was sent.`,
        method,
        path: operation.path,
      });
    }
    const path = filledPath(operation.path, ids, { call, method });
    const told = { call, method, path };
    const written = toWire(operation.input, validInput(operation.input, input, told));
    const own = checkedOptions(options, told);
    const asQuery = method === "GET";
    const idempotencyKey =
      own.idempotencyKey ??
      (settings.idempotencyKeys && method === "POST" ? this.#surroundings.uuid() : undefined);
    const left = this.#bounds.left?.(method) ?? Number.POSITIVE_INFINITY;
    const deadline = Math.max(0, Math.min(own.deadline ?? settings.deadline, left));
    const signals = [own.signal, this.#bounds.signal].filter((signal) => signal !== undefined);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    this.root.#arrivals += 1;
    return {
      method,
      origin: settings.baseUrl.origin,
      target: settings.baseUrl.prefix + path + (asQuery ? query(written) : ""),
      path,
      headers: {
        accept: operation.kind === "svg" ? "image/svg+xml" : "application/json",
        "user-agent": settings.userAgent,
        ...(written !== undefined && !asQuery && { "content-type": "application/json" }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        ...(own.headers !== undefined && validHeaders(own.headers, told)),
      },
      ...(written !== undefined && !asQuery && { body: JSON.stringify(written) }),
      accept: operation.kind === "svg" ? "text" : "json",
      largestBody: operation.isLarge ? LARGE_BODY : USUAL_BODY,
      repeatable: (method !== "POST" && method !== "PATCH") || idempotencyKey !== undefined,
      arrival: this.root.#arrivals,
      ...(signal !== undefined && { signal }),
      ...(this.#bounds.stop !== undefined && { stop: this.#bounds.stop }),
      timeout: own.timeout ?? settings.timeout,
      deadline,
      deadlineAt: this.clock.now() + deadline,
      maxRetries: own.maxRetries ?? settings.maxRetries,
    };
  }
}

function received<I extends z.ZodType, A extends z.ZodType>(
  operation: Operation<I, A>,
  request: OutgoingRequest,
  answer: Answer,
): Received<z.output<A>> {
  const { status, headers } = answer;
  const meta = metaOf(answer);
  const read = operation.read(presented(operation, answer));
  const image = operation.kind !== "svg" || String(answer.data).includes("<svg");
  if ("value" in read && image) return { data: read.value, meta, status, headers };

  const { method, path } = request;
  const issues = "issues" in read ? read.issues : [notAnImage(headers["content-type"])];
  const list = issues
    .slice(0, 5)
    .map((issue) => `${issue.path}: expected ${issue.expected}, received ${issue.received}`);
  const facts = {
    message: `${method} ${path}: ${status}, but the answer is not what is documented. ${list.join("; ")}; ${fate(method, "ambiguous")}.`,
    outcome: "ambiguous",
    method,
    path,
    status,
    requestId: meta.requestId,
    timestamp: meta.timestamp,
  } as const;
  throw new UnreadableAnswerError(facts, issues, idIn(answer.data));
}

function notAnImage(contentType: string | undefined): AnswerIssue {
  return { path: "the body", expected: "an SVG image", received: contentType ?? "no content type" };
}

function presented(operation: Operation, answer: Answer): unknown {
  if (operation.kind === "nothing") return undefined;
  if (operation.bodyNotShown && !isObject(answer.data)) return {};
  return answer.data;
}

function metaOf(answer: Answer): Meta {
  const { request_id: inBody } = answer.meta;
  const timestamp = unixTime(answer.meta["timestamp"]);
  const requestId = inBody ?? answer.headers["x-request-id"];
  return {
    ...(typeof requestId === "string" && { requestId }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

function idIn(data: unknown): string | undefined {
  if (!isObject(data)) return undefined;
  const id = data["id"] ?? data["inbox_id"];
  return isIdentifier(id) ? id : undefined;
}

function query(written: unknown): string {
  if (!isObject(written)) return "";
  const pairs = Object.entries(written).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
