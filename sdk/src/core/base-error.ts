/**
 * Whether a failed request may have succeeded at the service:
 *
 * - `notSent`: no byte reached the service.
 * - `rejected`: the service responded that it did not carry the request out.
 * - `ambiguous`: the request was sent and no usable response arrived; it may have succeeded.
 */
export type Outcome = "notSent" | "rejected" | "ambiguous";

/** The stable codes of this package's errors. The service's own code is `serviceCode`. */
export type ErrorCode =
  | "CONFIGURATION_INVALID"
  | "REQUEST_INVALID"
  | "CALL_NOT_DOCUMENTED"
  | "CONNECTION_FAILED"
  | "TIMEOUT"
  | "ABORTED"
  | "RESPONSE_UNREADABLE"
  | "PAGING_BROKEN"
  | "BAD_REQUEST"
  | "UNAUTHENTICATED"
  | "PERMISSION_DENIED"
  | "NOT_FOUND"
  | "ROUTE_MISSING"
  | "CONFLICT"
  | "RATE_LIMITED"
  | "SERVER_ERROR"
  | "STATUS_UNEXPECTED"
  | "WAIT_TIMEOUT"
  | "RESOURCE_FAILED"
  | "EVENT_UNVERIFIED";

/** The members of an error. Only message and outcome are required. */
export interface ErrorFacts {
  /** What happened, in one or two full sentences, without advice. */
  readonly message: string;
  readonly outcome: Outcome;
  /** What to do about it, in one or two full sentences. */
  readonly advice?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  readonly serviceCode?: string | undefined;
  readonly field?: string | undefined;
  readonly docUrl?: string | undefined;
  readonly requestId?: string | undefined;
  readonly timestamp?: number | undefined;
  readonly resourceId?: string | undefined;
  readonly cause?: unknown;
}

type ErrorClass = { readonly prototype: object; readonly name: string };

/**
 * Makes `instanceof` work across copies of this package, and across its CommonJS and ES module builds, by a symbol that
 * all copies share. Subclasses outside of this package have no such symbol and use the ordinary check.
 */
export function branded(errorClass: ErrorClass, name: string): void {
  const mark = Symbol.for(`cloudservices-sdk/${name}`);
  Object.defineProperty(errorClass.prototype, mark, { value: true });
  Object.defineProperty(errorClass.prototype, "name", { value: name, configurable: true, writable: true });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: unknown, value: unknown): boolean {
      if (this !== errorClass) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === "object" && value !== null && mark in value;
    },
  });
}

/**
 * The base of every error that this package throws.
 *
 * @example
 * ```ts
 * try {
 *   await client.links.create({ url: "https://example.com", slug: "launch" });
 * } catch (error) {
 *   if (error instanceof ConflictError) console.log("taken", error.field, error.requestId);
 *   else if (error instanceof CloudServicesError && error.outcome === "ambiguous") {
 *     // the link may exist: check before retrying
 *   } else throw error;
 * }
 * ```
 */
export class CloudServicesError extends Error {
  static {
    branded(CloudServicesError, "CloudServicesError");
  }

  /** Stable across versions, for programs. */
  readonly code: ErrorCode;
  /** Whether the request may have succeeded. */
  readonly outcome: Outcome;
  /** What to do about it, in one or two sentences. The message says only what happened. */
  declare readonly advice?: string;
  /** HTTP method of the request. */
  declare readonly method?: string;
  /** Path below the base URL, without the query. */
  declare readonly path?: string;
  /** HTTP status of the response, if there was one. */
  declare readonly status?: number;
  /** `error.code` of the response, e.g. `RESOURCE_NOT_FOUND`. Specification: "Errors". */
  declare readonly serviceCode?: string;
  /** The offending input field under its camelCase name. Specification: "Errors", `error.field`. */
  declare readonly field?: string;
  /** Specification: "Errors", `error.doc_url`. */
  declare readonly docUrl?: string;
  /** `meta.request_id` of the response, or its header `x-request-id`. Quote it to the service's support. */
  declare readonly requestId?: string;
  /** The service's clock when it responded, Unix seconds: `meta.timestamp`, else the `Date` header. */
  declare readonly timestamp?: number;
  /**
   * The id of a new resource, from a response that is unreadable, cut or too slow. Without it the resource would be
   * lost.
   */
  declare readonly resourceId?: string;
  /** How many attempts the call made. */
  declare readonly attempts?: number;

  constructor(code: ErrorCode, facts: ErrorFacts) {
    const { message, cause, outcome, ...rest } = facts;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.outcome = outcome;
    for (const [name, value] of Object.entries(rest)) {
      if (value !== undefined)
        Object.defineProperty(this, name, { value, enumerable: true, writable: true, configurable: true });
    }
  }

  /** True only when the response proves that the resource does not exist. */
  get isProvenAbsent(): boolean {
    return false;
  }

  /** Returns the name, the message and the advice. */
  override toString(): string {
    const sentences = `${this.name}: ${this.message}`;
    return this.advice === undefined ? sentences : `${sentences} ${this.advice}`;
  }

  /** Returns everything but the stack and the cause. It holds no secret, so it is safe to log. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, message: this.message, ...Object.fromEntries(Object.entries(this)) };
  }
}

/** What the attempts of one call have shown so far. */
export interface Attempts {
  readonly attempts: number;
  /** Whether one of them may have succeeded. */
  readonly ambiguous: boolean;
  /** The id that a response has shown. */
  readonly resourceId: string | undefined;
}

/** Adds to an error what all attempts of its call have shown. The error keeps its identity and stack. */
export function afterAttempts<E extends CloudServicesError>(
  error: E,
  { attempts, ambiguous, resourceId }: Attempts,
): E {
  Object.assign(error, { attempts });
  if (ambiguous && error.outcome !== "ambiguous") {
    const advice = "An earlier attempt may have succeeded. Check before retrying.";
    Object.assign(error, { outcome: "ambiguous", advice });
  }
  if (error.resourceId === undefined && resourceId !== undefined) Object.assign(error, { resourceId });
  return error;
}
