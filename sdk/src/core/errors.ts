import { branded, CloudServicesError, type ErrorFacts, type Outcome } from "./base-error.js";

export { CloudServicesError, type ErrorCode, type Outcome } from "./base-error.js";

/** One wrong field of a request. It never quotes the value. */
export interface RequestIssue {
  /** camelCase path of the field, e.g. `sshKeys[0]`; empty when the whole input is meant. */
  readonly field: string;
  readonly message: string;
  /** The values that are allowed, where there is a closed list. */
  readonly allowed?: readonly string[];
}

/** One member of an answer that is not what the specification documents. */
export interface ResponseIssue {
  /** Path in the answer as the service spells it, e.g. `data.clicks_count`. */
  readonly path: string;
  readonly expected: string;
  readonly received: string;
}

/** The options of the client cannot be used: base URL, API key, a limit. Nothing was sent. */
export class ConfigurationError extends CloudServicesError {
  static {
    branded(ConfigurationError, "ConfigurationError");
  }
  constructor(facts: Omit<ErrorFacts, "outcome">) {
    super("CONFIGURATION_INVALID", { ...facts, outcome: "notSent" });
  }
}

/** The input of a call is wrong; `issues` has every wrong field. Nothing was sent. */
export class ValidationError extends CloudServicesError {
  static {
    branded(ValidationError, "ValidationError");
  }
  readonly issues: readonly RequestIssue[];
  constructor(facts: Omit<ErrorFacts, "outcome">, issues: readonly RequestIssue[]) {
    super("REQUEST_INVALID", { ...facts, outcome: "notSent" });
    this.issues = issues;
  }
}

/** The client was made with `api: "documented"`, and the specification does not show this call. Nothing was sent. */
export class UndocumentedCallError extends CloudServicesError {
  static {
    branded(UndocumentedCallError, "UndocumentedCallError");
  }
  constructor(facts: Omit<ErrorFacts, "outcome">) {
    super("CALL_NOT_DOCUMENTED", { ...facts, outcome: "notSent" });
  }
}

/** No answer: refused, unresolved, reset, cut, or a TLS failure. `outcome` tells whether anything was sent. */
export class ConnectionError extends CloudServicesError {
  static {
    branded(ConnectionError, "ConnectionError");
  }
  constructor(facts: ErrorFacts) {
    super("CONNECTION_FAILED", facts);
  }
}

/** The `timeout` of one attempt or the `deadline` of the whole call passed. */
export class TimeoutError extends CloudServicesError {
  static {
    branded(TimeoutError, "TimeoutError");
  }
  constructor(facts: ErrorFacts) {
    super("TIMEOUT", facts);
  }
}

/** The caller's `signal` was aborted; `cause` is its reason. */
export class AbortError extends CloudServicesError {
  static {
    branded(AbortError, "AbortError");
  }
  constructor(facts: ErrorFacts) {
    super("ABORTED", facts);
  }
}

/** The service answered with a success that cannot be read; for a write it may well have taken effect. */
export class UnreadableResponseError extends CloudServicesError {
  static {
    branded(UnreadableResponseError, "UnreadableResponseError");
  }
  /** What was expected where; empty when the body is not an envelope at all. */
  readonly issues: readonly ResponseIssue[];
  constructor(facts: ErrorFacts, issues: readonly ResponseIssue[] = [], resourceId?: string) {
    super("RESPONSE_UNREADABLE", { resourceId, ...facts });
    this.issues = issues;
  }
}

/** A list that cannot be read to its end: a repeated cursor, or more announced and no way to it. */
export class PagingError extends CloudServicesError {
  static {
    branded(PagingError, "PagingError");
  }
  constructor(facts: Omit<ErrorFacts, "outcome">) {
    super("PAGING_BROKEN", { ...facts, outcome: "rejected" });
  }
}

/** 400: malformed payload or validation error; `field` names the field where the service says so. */
export class BadRequestError extends CloudServicesError {
  static {
    branded(BadRequestError, "BadRequestError");
  }
  constructor(facts: ErrorFacts) {
    super("BAD_REQUEST", facts);
  }
}

/** 401: the key is missing or invalid. */
export class AuthenticationError extends CloudServicesError {
  static {
    branded(AuthenticationError, "AuthenticationError");
  }
  constructor(facts: ErrorFacts) {
    super("UNAUTHENTICATED", facts);
  }
}

/** 403: the key lacks a required scope. */
export class PermissionError extends CloudServicesError {
  static {
    branded(PermissionError, "PermissionError");
  }
  constructor(facts: ErrorFacts) {
    super("PERMISSION_DENIED", facts);
  }
}

/** 404 with the code `RESOURCE_NOT_FOUND`: the only proof that a resource does not exist. */
export class NotFoundError extends CloudServicesError {
  static {
    branded(NotFoundError, "NotFoundError");
  }
  constructor(facts: ErrorFacts) {
    super("NOT_FOUND", facts);
  }
  override get isProvenAbsent(): boolean {
    return true;
  }
}

/** 404 without the code `RESOURCE_NOT_FOUND`, 405 or 501: this server has no such route. It proves nothing about a resource. */
export class RouteMissingError extends CloudServicesError {
  static {
    branded(RouteMissingError, "RouteMissingError");
  }
  constructor(facts: ErrorFacts) {
    super("ROUTE_MISSING", facts);
  }
}

/** 409: for example a slug or a custom domain that is taken. */
export class ConflictError extends CloudServicesError {
  static {
    branded(ConflictError, "ConflictError");
  }
  constructor(facts: ErrorFacts) {
    super("CONFLICT", facts);
  }
}

/** 429: the rate limit is exceeded, and stayed so for all retries. */
export class RateLimitError extends CloudServicesError {
  static {
    branded(RateLimitError, "RateLimitError");
  }
  /** What the service asked for in `Retry-After`, milliseconds, capped at a minute. */
  declare readonly retryAfter?: number;
  constructor(facts: ErrorFacts, retryAfter?: number) {
    super("RATE_LIMITED", facts);
    if (retryAfter !== undefined) Object.assign(this, { retryAfter });
  }
}

/** 5xx but 501: the service failed. */
export class ServerError extends CloudServicesError {
  static {
    branded(ServerError, "ServerError");
  }
  /** What the service asked for in `Retry-After`, milliseconds, capped at a minute. */
  declare readonly retryAfter?: number;
  constructor(facts: ErrorFacts, retryAfter?: number) {
    super("SERVER_ERROR", facts);
    if (retryAfter !== undefined) Object.assign(this, { retryAfter });
  }
}

/** A status that the specification does not list, redirects among them: those are never followed with the key. */
export class UnexpectedStatusError extends CloudServicesError {
  static {
    branded(UnexpectedStatusError, "UnexpectedStatusError");
  }
  constructor(facts: ErrorFacts) {
    super("STATUS_UNEXPECTED", facts);
  }
}

/** A wait ended at its own deadline; the resource goes on. Nothing was changed by waiting. */
export class WaitTimeoutError extends CloudServicesError {
  static {
    branded(WaitTimeoutError, "WaitTimeoutError");
  }
  /** The last status that was seen. */
  declare readonly lastStatus?: string;
  /** The resource as it was last seen. Not enumerable: it may hold a connection address with its password. */
  declare readonly lastSeen?: unknown;
  constructor(
    facts: Omit<ErrorFacts, "outcome">,
    last: { status?: string | undefined; seen?: unknown } = {},
  ) {
    super("WAIT_TIMEOUT", { ...facts, outcome: "rejected" });
    if (last.status !== undefined) Object.assign(this, { lastStatus: last.status });
    Object.defineProperty(this, "lastSeen", { value: last.seen });
  }
}

/** The resource reached a state from which it will never get ready. */
export class FailedStateError extends CloudServicesError {
  static {
    branded(FailedStateError, "FailedStateError");
  }
  /** The state, e.g. `failed`. */
  readonly resourceStatus: string;
  /** The service's own reason, where it gave one. */
  declare readonly reason?: string;
  /** What to type next, one call each. */
  readonly fixes: readonly string[];
  constructor(
    facts: Omit<ErrorFacts, "outcome">,
    resourceStatus: string,
    reason?: string,
    fixes: readonly string[] = [],
  ) {
    super("RESOURCE_FAILED", { ...facts, outcome: "rejected" });
    this.resourceStatus = resourceStatus;
    this.fixes = fixes;
    if (reason !== undefined) Object.assign(this, { reason });
  }
}

/** A notification whose signature, age or body does not hold. Answer it with a 400 and do not act on it. */
export class EventVerificationError extends CloudServicesError {
  static {
    branded(EventVerificationError, "EventVerificationError");
  }
  constructor(message: string) {
    super("EVENT_UNVERIFIED", { message, outcome: "rejected" satisfies Outcome });
  }
}
