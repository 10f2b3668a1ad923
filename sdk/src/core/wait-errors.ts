import { branded, CloudServicesError, type ErrorFacts } from "./base-error.js";

/** A wait reached its timeout. The service continues with the resource. */
export class WaitTimeoutError extends CloudServicesError {
  static {
    branded(WaitTimeoutError, "WaitTimeoutError");
  }
  /** The status at the last successful poll. */
  declare readonly lastStatus?: string;
  /** The resource at the last successful poll. Not enumerable: it may hold a connection address with a password. */
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

/** The resource is in a state from which it never becomes ready. */
export class FailedStateError extends CloudServicesError {
  static {
    branded(FailedStateError, "FailedStateError");
  }
  /** The state, e.g. `failed`. */
  readonly resourceStatus: string;
  /** The service's reason, if it gave one. */
  declare readonly reason?: string;
  /** Calls that fix it, as a program writes them. */
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
