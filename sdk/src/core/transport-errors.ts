import { branded, CloudServicesError, type ErrorFacts } from "./base-error.js";

/** One member of a response that does not match the specification. */
export interface ResponseIssue {
  /** Path in the response as the service spells it, e.g. `data.clicks_count`. */
  readonly path: string;
  /** The expected type. */
  readonly expected: string;
  /** The type of the received value, never the value. */
  readonly received: string;
}

/** No response: refused, unresolved, reset, cut, or a TLS failure. `outcome` says whether anything was sent. */
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

/** The service responded with a success that cannot be read; a write has probably succeeded. */
export class UnreadableResponseError extends CloudServicesError {
  static {
    branded(UnreadableResponseError, "UnreadableResponseError");
  }
  /** What was expected where; empty when the body is no envelope. */
  readonly issues: readonly ResponseIssue[];
  constructor(facts: ErrorFacts, issues: readonly ResponseIssue[] = [], resourceId?: string) {
    super("RESPONSE_UNREADABLE", { resourceId, ...facts });
    this.issues = issues;
  }
}

/** A list that cannot be read to its end: a repeated cursor, or more items without a cursor. */
export class PagingError extends CloudServicesError {
  static {
    branded(PagingError, "PagingError");
  }
  constructor(facts: Omit<ErrorFacts, "outcome">) {
    super("PAGING_BROKEN", { ...facts, outcome: "rejected" });
  }
}
