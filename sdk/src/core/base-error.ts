/**
 * What is known of a request that failed:
 *
 * - `notSent`: not a byte of it reached the service; it cannot have taken effect.
 * - `rejected`: the service answered that it did not do it.
 * - `ambiguous`: it was sent and there is no answer to tell; it may have taken effect.
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

/** What an error is made of. Everything but the message and the outcome is optional. */
export interface ErrorFacts {
  /** What happened, as a sentence or two with their full stops. No advice. */
  readonly message: string;
  readonly outcome: Outcome;
  /** What to do about it, as a sentence or two with their full stops. */
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
 * Makes `instanceof` hold across two copies of this package, and across its CommonJS and ES module forms: the
 * class is recognised by a symbol that all copies share. A subclass made by somebody else, which has no mark
 * of its own, is recognised in the ordinary way.
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
 *     // the link may exist: look before trying again
 *   } else throw error;
 * }
 * ```
 */
export class CloudServicesError extends Error {
  static {
    branded(CloudServicesError, "CloudServicesError");
  }

  /** Stable, for programs. */
  readonly code: ErrorCode;
  /** Whether the request may have taken effect. */
  readonly outcome: Outcome;
  /** What to do about it, in one or two sentences. The message holds only what happened. */
  declare readonly advice?: string;
  /** HTTP method of the request. */
  declare readonly method?: string;
  /** Path below the base URL, without the query. */
  declare readonly path?: string;
  /** HTTP status of the answer, when there was one. */
  declare readonly status?: number;
  /** `error.code` of the answer, e.g. `RESOURCE_NOT_FOUND`. Specification: "Errors". */
  declare readonly serviceCode?: string;
  /** The offending input field under its camelCase name. Specification: "Errors", `error.field`. */
  declare readonly field?: string;
  /** Specification: "Errors", `error.doc_url`. */
  declare readonly docUrl?: string;
  /** `meta.request_id` of the answer, or its header `x-request-id`: quote it to the service's support. */
  declare readonly requestId?: string;
  /** The service's clock at the answer, Unix seconds: `meta.timestamp`, else its `Date` header. */
  declare readonly timestamp?: number;
  /**
   * The id that the response to a creation shows, although the response is unreadable, was cut or came too slowly: a
   * resource that was created is not lost.
   */
  declare readonly resourceId?: string;
  /** How many times the request was tried. */
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

  /** True only for an answer that proves that the resource does not exist. */
  get isProvenAbsent(): boolean {
    return false;
  }

  /** Returns the name, the message and the advice. */
  override toString(): string {
    const sentences = `${this.name}: ${this.message}`;
    return this.advice === undefined ? sentences : `${sentences} ${this.advice}`;
  }

  /** Everything but the stack and the cause: safe to log, it never holds a secret. */
  toJSON(): Record<string, unknown> {
    return { name: this.name, message: this.message, ...Object.fromEntries(Object.entries(this)) };
  }
}

/** What the attempts of one call have shown so far. */
export interface Attempts {
  readonly attempts: number;
  /** One of them may have succeeded. */
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
