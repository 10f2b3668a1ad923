import type { CloudServicesError, ErrorFacts, Outcome } from "./base-error.js";
import { camelCased } from "./casing.js";
import type { Clock } from "./clock.js";
import {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  RouteMissingError,
  ServerError,
  UnexpectedStatusError,
  UnreadableResponseError,
} from "./errors.js";
import { hasMoreLevels, isObject, type JsonObject, MOST_LEVELS, parsedDeepJson, parsedJson } from "./json.js";
import { outcomeAdvice, outcomeHint } from "./outcome-hint.js";
import { redactText, secretsOf } from "./redact.js";
import type { DecodedResponse, OutgoingRequest, RawResponse, Step } from "./request.js";
import { retryAfter } from "./retry-after.js";
import { salvageId } from "./salvage-id.js";
import { unixTime } from "./unix-time.js";

/** Opens the envelope, or throws the error of the status. Specification: "Response envelope", "Errors". */
export function withEnvelope(next: Step<RawResponse>, clock: Clock): Step<DecodedResponse> {
  return async (request) => {
    const raw = await next(request);
    const { status, headers } = raw;
    if (status < 200 || status > 299) throw failure(request, raw, clock);
    if (request.accept === "text") return { status, headers, data: raw.body, meta: {} };
    if (raw.body === "") return { status, headers, data: undefined, meta: {} };
    const envelope = parsedDeepJson(raw.body);
    if (!isObject(envelope)) throw unreadable(request, raw, "is not a JSON object");
    // The reader checks the depth of the data while it reads them, which is faster than a visit of its own.
    const { data: _, ...others } = envelope;
    if (hasMoreLevels(others, MOST_LEVELS)) throw unreadable(request, raw, "is nested too deeply");
    if (envelope["status"] !== "success") throw unreadable(request, raw, 'does not say status "success"');
    return { status, headers, data: envelope["data"], meta: objectIn(envelope, "meta") ?? {} };
  };
}

interface Meaning {
  readonly what: string;
  readonly advice?: string;
  readonly outcome: Outcome;
}

/** What the documented error statuses mean. With each of them the service did not carry the request out. */
const MEANINGS: Readonly<Record<number, Omit<Meaning, "outcome">>> = {
  400: { what: "the service rejected the request", advice: "Correct the input and retry." },
  401: {
    what: "the API key is missing or invalid",
    advice: "Check `apiKey` or CLOUDSERVICES_API_KEY, and that it belongs to this base URL.",
  },
  403: { what: "the API key lacks a required scope", advice: "Use a key with the scope for this call." },
  404: { what: "it does not exist", advice: "Check the id, and that the key belongs to its account." },
  409: { what: "it conflicts with what exists", advice: "Check its current state; it may be busy." },
  429: { what: "the rate limit is exceeded", advice: "Send fewer requests at a time, or retry later." },
};

function meaningOf({ method, target }: OutgoingRequest, status: number, details: Details): Meaning {
  if (isRouteMissing(status, details.serviceCode)) {
    const proof = method === "POST" ? "" : ", which proves nothing about the resource";
    const advice = /^\/([^?]+\/)?v\d/.test(target)
      ? "Check the version at the end of the base URL."
      : "Add the version to the base URL, such as /v1.";
    return { what: `the server has no such route${proof}`, advice, outcome: "rejected" };
  }
  if (status === 409 && details.field !== undefined)
    return { what: "it conflicts with what exists", advice: "Choose another value.", outcome: "rejected" };
  const documented = MEANINGS[status];
  if (documented !== undefined) return { ...documented, outcome: "rejected" };
  if (status >= 500) {
    const advice = outcomeAdvice(method, "ambiguous") ?? "Retry later.";
    return { what: "the service failed", advice, outcome: "ambiguous" };
  }
  if (status >= 400) return { what: "the service rejected the request", outcome: "rejected" };
  // A redirect after a write may be the response to a success.
  const isRejected = method === "GET" || status === 307 || status === 308;
  return {
    what: "redirected, and redirects are never followed with the API key",
    advice: "Set the base URL to the address of the API itself.",
    outcome: isRejected ? "rejected" : "ambiguous",
  };
}

function failure(request: OutgoingRequest, raw: RawResponse, clock: Clock): CloudServicesError {
  const { status, headers } = raw;
  const body = parsedJson(raw.body);
  const meta = objectIn(body, "meta");
  const details = detailsIn(objectIn(body, "error"), secretsOf(request));
  const { what, advice, outcome } = meaningOf(request, status, details);
  const facts: ErrorFacts = {
    message: `${headline(request, status, what, details)}${outcomeHint(request.method, outcome)}.`,
    advice,
    outcome,
    method: request.method,
    path: request.path,
    status,
    serviceCode: details.serviceCode,
    field: details.field,
    docUrl: details.docUrl,
    requestId: requestId(meta, raw),
    timestamp: timestamp(meta, raw),
  };
  const after = () => retryAfter(headers["retry-after"], clock.wall());
  if (isRouteMissing(status, details.serviceCode)) return new RouteMissingError(facts);
  if (status === 400) return new BadRequestError(facts);
  if (status === 401) return new AuthenticationError(facts);
  if (status === 403) return new PermissionError(facts);
  if (status === 404) return new NotFoundError(facts);
  if (status === 409) return new ConflictError(facts);
  if (status === 429) return new RateLimitError(facts, after());
  return status >= 500 ? new ServerError(facts, after()) : new UnexpectedStatusError(facts);
}

/** What the service says about a failure, safe to show. Specification: "Errors". */
interface Details {
  readonly serviceCode: string | undefined;
  readonly message: string | undefined;
  readonly field: string | undefined;
  readonly docUrl: string | undefined;
}

function detailsIn(error: JsonObject | undefined, secrets: readonly string[]): Details {
  const clean = (name: string, most: number) => {
    const value = error?.[name];
    return typeof value === "string" ? quoted(value, secrets, most) : undefined;
  };
  const field = clean("field", MAX_NAME);
  return {
    serviceCode: clean("code", MAX_NAME),
    message: clean("message", MAX_QUOTED),
    field: field === undefined ? undefined : camelCased(field),
    docUrl: clean("doc_url", MAX_QUOTED),
  };
}

/** The most characters of a text of the service in a message. */
const MAX_QUOTED = 1_000;
/** The most characters of a code or a field. */
const MAX_NAME = 100;

/** Returns a text of the service that is safe to show: short, on one line, without secrets. */
function quoted(text: string, secrets: readonly string[], most: number): string {
  // Searching megabytes for secrets is slow. The cut may split a secret, whose first part the search does not find, so
  // the end of the searched text is not shown.
  const searched = text.slice(0, 4 * MAX_QUOTED);
  const longest = Math.max(0, ...secrets.map(({ length }) => length));
  const clean = redactText(searched, secrets);
  const whole = searched.length === text.length;
  const shown = (whole ? clean : clean.slice(0, -longest || undefined)).replace(/\p{Cc}+/gu, " ");
  return shown.length <= most && whole ? shown : `${shown.slice(0, most)}…`;
}

function isRouteMissing(status: number, serviceCode: string | undefined): boolean {
  return (status === 404 && serviceCode !== "RESOURCE_NOT_FOUND") || status === 405 || status === 501;
}

function headline(request: OutgoingRequest, status: number, what: string, details: Details): string {
  const code = details.serviceCode === undefined ? "" : ` ${details.serviceCode}`;
  const field = details.field === undefined ? "" : ` (field ${details.field})`;
  const quote =
    details.message === undefined || details.message === ""
      ? ""
      : `: "${details.message.replace(/\.$/, "")}"`;
  return `${request.method} ${request.path}: ${status}${code}, ${what}${field}${quote}`;
}

function unreadable(request: OutgoingRequest, raw: RawResponse, what: string): UnreadableResponseError {
  const { method, path } = request;
  const type = raw.headers["content-type"] ?? "no content type";
  const meta = objectIn(parsedJson(raw.body), "meta");
  return new UnreadableResponseError({
    message:
      `${method} ${path}: ${raw.status}, but the body ${what} (${type}, ${raw.body.length} characters)` +
      `${outcomeHint(method, "ambiguous")}.`,
    advice: ["A proxy may have responded instead of the service.", outcomeAdvice(method, "ambiguous")]
      .filter(Boolean)
      .join(" "),
    outcome: "ambiguous",
    method,
    path,
    status: raw.status,
    requestId: requestId(meta, raw),
    timestamp: timestamp(meta, raw),
    resourceId: method === "POST" ? salvageId(raw.body) : undefined,
  });
}

function requestId(meta: JsonObject | undefined, raw: RawResponse): string | undefined {
  const inBody = meta?.["request_id"];
  if (typeof inBody === "string" && /^[\x21-\x7e]{1,200}$/.test(inBody)) return inBody;
  const inHeader = raw.headers["x-request-id"];
  return typeof inHeader === "string" ? inHeader : undefined;
}

function timestamp(meta: JsonObject | undefined, raw: RawResponse): number | undefined {
  const inBody = unixTime(meta?.["timestamp"]);
  if (inBody !== undefined) return inBody;
  const inHeader = Date.parse(raw.headers.date ?? "") / 1000;
  return Number.isNaN(inHeader) ? undefined : inHeader;
}

function objectIn(value: unknown, name: string): JsonObject | undefined {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : undefined;
}
