import type { RequestIssue } from "./errors.js";
import type { RequestLabel } from "./request.js";
import { milliseconds, retries } from "./settings.js";
import { validationError } from "./validate.js";

/** What may be said for a single call; it goes before what the client was made with. */
export interface RequestOptions {
  /** Gives the call up. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt. */
  readonly timeout?: number | undefined;
  /** Milliseconds for the call in all. */
  readonly deadline?: number | undefined;
  /** How often it may be sent again, where that is safe. */
  readonly maxRetries?: number | undefined;
  /** Headers to add. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Sent as `Idempotency-Key`, and makes a POST retryable: only for a service known to honour it, since the
   * specification does not have it.
   */
  readonly idempotencyKey?: string | undefined;
}

/** @throws ValidationError that has every wrong option. */
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
