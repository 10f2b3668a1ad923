import type { CloudServicesError } from "./base-error.js";
import {
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  UnreadableResponseError,
} from "./errors.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8_000;
const TRANSIENT_STATUSES = new Set([500, 502, 503, 504]);

/**
 * Returns whether a request may be retried after this failure.
 *
 * | failure | GET, PUT, DELETE, or with an idempotency key | POST, PATCH |
 * |---|---|---|
 * | not connected (`notSent`) | yes | yes |
 * | 429 | yes | yes |
 * | connection broke, attempt timed out | yes | no: it may have succeeded |
 * | 500, 502, 503, 504 | yes | no: it may have succeeded |
 * | success whose body cannot be read | yes | no: it may have succeeded |
 * | any other response | no | no |
 */
export function isRetryable(error: CloudServicesError, idempotent: boolean): boolean {
  if (error instanceof RateLimitError) return true;
  if (error instanceof ConnectionError) return idempotent || error.outcome === "notSent";
  if (!idempotent) return false;
  if (error instanceof ServerError) return error.status !== undefined && TRANSIENT_STATUSES.has(error.status);
  // Broken JSON may be a cut body, but a response of a wrong shape stays wrong.
  if (error instanceof UnreadableResponseError) return error.issues.length === 0;
  return error instanceof TimeoutError;
}

/** Returns the milliseconds before the next attempt: doubling from 500 to 8,000, with the upper half random. */
export function backoff(retry: number, error: CloudServicesError, random: () => number): number {
  const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (retry - 1));
  const pause = longest * (0.5 + random() / 2);
  return error instanceof ServerError ? Math.max(pause, error.retryAfter ?? 0) : pause;
}
