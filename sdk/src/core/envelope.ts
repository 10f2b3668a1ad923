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
import { isObject, isTooDeep, type JsonObject, parsedJson } from "./json.js";
import { outcomeHint } from "./outcome-hint.js";
import { redactText, secretsIn } from "./redact.js";
import type { DecodedResponse, OutgoingRequest, RawResponse, Step } from "./request.js";
import { retryAfter } from "./retry-after.js";
import { salvageId } from "./salvage-id.js";
import { unixTime } from "./unix-time.js";

/** Opens the envelope, or makes the error that the status means. Specification: "Response envelope", "Errors". */
export function withEnvelope(next: Step<RawResponse>, clock: Clock): Step<DecodedResponse> {
  return async (request) => {
    const raw = await next(request);
    const { status, headers } = raw;
    if (status < 200 || status > 299) throw failure(request, raw, clock);
    if (request.accept === "text") return { status, headers, data: raw.body, meta: {} };
    if (raw.body === "") return { status, headers, data: undefined, meta: {} };
    if (isTooDeep(raw.body)) throw unreadable(request, raw, "is nested too deeply");
    const envelope = parsedJson(raw.body);
    if (!isObject(envelope)) throw unreadable(request, raw, "is not a JSON object");
    if (envelope["status"] !== "success") throw unreadable(request, raw, 'does not say status "success"');
    return { status, headers, data: envelope["data"], meta: objectIn(envelope, "meta") ?? {} };
  };
}

const MEANINGS: Readonly<Record<number, { what: string; advice: string }>> = {
  400: { what: "the service refused the request", advice: "Correct the field and try again." },
  401: {
    what: "the API key is missing or invalid",
    advice: "Check `apiKey`, and that it belongs to this base URL.",
  },
  403: { what: "the API key lacks a required scope", advice: "Use a key with the scope for this call." },
  404: { what: "it does not exist", advice: "Check the id, and that the key belongs to its account." },
  409: {
    what: "it conflicts with what exists",
    advice: "Look at its present state first: it may be busy.",
  },
  429: { what: "the rate limit is exceeded", advice: "Send less at a time, or try again later." },
};

function failure(request: OutgoingRequest, raw: RawResponse, clock: Clock): CloudServicesError {
  const { status, headers } = raw;
  const body = parsedJson(raw.body);
  const error = objectIn(body, "error");
  const meta = objectIn(body, "meta");
  const secrets = secretsOf(request);
  const clean = (value: unknown, most: number = MAX_QUOTED) =>
    typeof value === "string" ? quoted(value, secrets, most) : undefined;

  const serviceCode = clean(error?.["code"], MAX_NAME);
  const field = clean(error?.["field"], MAX_NAME);
  const facts = (what: string, advice: string, outcome: Outcome): ErrorFacts => ({
    message: sentence(request, status, { what, said: clean(error?.["message"]), serviceCode, field, advice }),
    outcome,
    method: request.method,
    path: request.path,
    status,
    serviceCode,
    field: field === undefined ? undefined : camelCased(field),
    docUrl: clean(error?.["doc_url"]),
    requestId: requestId(meta, raw),
    timestamp: timestamp(meta, raw),
  });

  if (isRouteMissing(status, serviceCode)) {
    const advice = "Check the version at the end of the base URL. It proves nothing about the resource.";
    return new RouteMissingError(facts("this server does not offer the call", advice, "rejected"));
  }
  const { what, advice } = MEANINGS[status] ?? { what: "", advice: "" };
  const after = () => retryAfter(headers["retry-after"], clock.wall());
  if (status === 400) return new BadRequestError(facts(what, advice, "rejected"));
  if (status === 401) return new AuthenticationError(facts(what, advice, "rejected"));
  if (status === 403) return new PermissionError(facts(what, advice, "rejected"));
  if (status === 404) return new NotFoundError(facts(what, advice, "rejected"));
  if (status === 409) {
    const taken = field === undefined ? advice : "Choose another one.";
    return new ConflictError(facts(what, taken, "rejected"));
  }
  if (status === 429) return new RateLimitError(facts(what, advice, "rejected"), after());
  if (status >= 500) {
    const hint = `In doubt: ${outcomeHint(request.method, "ambiguous")}.`;
    return new ServerError(facts("the service failed", hint, "ambiguous"), after());
  }
  if (status < 400) {
    // A redirect after a write may be the answer to a success.
    const outcome = request.method === "GET" || status === 307 || status === 308 ? "rejected" : "ambiguous";
    const hint =
      "Redirects are not followed with the API key: use the address of the API itself as base URL.";
    return new UnexpectedStatusError(facts("it was redirected", hint, outcome));
  }
  return new UnexpectedStatusError(facts("the service refused the request", "See its message.", "rejected"));
}

/** Of a text of the service, as much as an error message has room for. */
const MAX_QUOTED = 1_000;
/** Of a code, or of the path of a field. */
const MAX_NAME = 100;

/** A text of the service that is fit to be shown: short, on one line, without secrets. */
function quoted(text: string, secrets: readonly string[], most: number): string {
  // Searching megabytes for secrets takes long. What is cut off here could begin with a secret and so escape the
  // search; therefore the end, which may hold the first part of one, is not shown.
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

interface Parts {
  what: string;
  said: string | undefined;
  serviceCode: string | undefined;
  field: string | undefined;
  advice: string;
}

function sentence(request: OutgoingRequest, status: number, parts: Parts): string {
  const code = parts.serviceCode === undefined ? "" : ` ${parts.serviceCode}`;
  const field = parts.field === undefined ? "" : ` (field ${camelCased(parts.field)})`;
  const said = parts.said === undefined || parts.said === "" ? "" : `: "${parts.said}"`;
  return `${request.method} ${request.path}: ${status}${code}, ${parts.what}${field}${said}. ${parts.advice}`;
}

function unreadable(request: OutgoingRequest, raw: RawResponse, what: string): UnreadableResponseError {
  const { method, path } = request;
  const type = raw.headers["content-type"] ?? "no content type";
  const message =
    `${method} ${path}: ${raw.status}, but the body ${what} (${type}, ${raw.body.length} characters). ` +
    `Something between may have answered instead of the service; ${outcomeHint(method, "ambiguous")}.`;
  const meta = objectIn(parsedJson(raw.body), "meta");
  return new UnreadableResponseError({
    message,
    outcome: "ambiguous",
    method,
    path,
    status: raw.status,
    requestId: requestId(meta, raw),
    timestamp: timestamp(meta, raw),
    resourceId: method === "POST" ? salvageId(raw.body) : undefined,
  });
}

/** Whatever the request carried that the service might quote in its message. */
function secretsOf(request: OutgoingRequest): string[] {
  const key = request.headers["authorization"]?.replace(/^Bearer /, "");
  const sent = request.body === undefined ? [] : secretsIn(parsedJson(request.body));
  return key === undefined ? sent : [key, ...sent];
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
