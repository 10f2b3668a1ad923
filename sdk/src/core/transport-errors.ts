import { branded, CloudServicesError, type ErrorFacts } from "./base-error.js";

/** One member of an answer that is not what the specification documents. */
export interface ResponseIssue {
  /** Path in the answer as the service spells it, e.g. `data.clicks_count`. */
  readonly path: string;
  readonly expected: string;
  readonly received: string;
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
