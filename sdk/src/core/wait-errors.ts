import { branded, CloudServicesError, type ErrorFacts } from "./base-error.js";

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
