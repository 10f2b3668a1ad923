import type { RequestIssue } from "./errors.js";
import type { RequestLabel } from "./request.js";
import { milliseconds, retries } from "./settings.js";
import { validationError } from "./validate.js";

/** The options of a single call. They take precedence over those of the client. */
export interface RequestOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt. */
  readonly timeout?: number | undefined;
  /** Milliseconds for the whole call: queue, attempts and pauses. */
  readonly deadline?: number | undefined;
  /** The most retries, where they are safe. 0 to 100. */
  readonly maxRetries?: number | undefined;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Sent as `Idempotency-Key`; makes a POST retryable. Only for a service that is known to honour the header, which the
   * specification does not mention.
   */
  readonly idempotencyKey?: string | undefined;
}

/** @throws ValidationError with every wrong option. */
export function checkOptions(options: RequestOptions, label: RequestLabel): RequestOptions {
  const issues: RequestIssue[] = (["timeout", "deadline"] as const)
    .filter((name) => options[name] !== undefined && !milliseconds.safeParse(options[name]).success)
    .map((name) => ({ field: name, message: "expected milliseconds, more than 0 and at most 2147483647" }));
  if (options.maxRetries !== undefined && !retries.safeParse(options.maxRetries).success) {
    issues.push({ field: "maxRetries", message: "expected a whole number from 0 to 100" });
  }
  if (options.idempotencyKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(options.idempotencyKey)) {
    issues.push({ field: "idempotencyKey", message: "expected 1 to 255 printable ASCII characters" });
  }
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) {
    issues.push({ field: "signal", message: "expected an AbortSignal" });
  }
  if (issues.length > 0) throw validationError(label, issues);
  return options;
}
