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
 * Whether a request that failed so may be sent again.
 *
 * | failure | GET, PUT, DELETE, or with an idempotency key | POST, PATCH |
 * |---|---|---|
 * | not connected (`notSent`) | yes | yes |
 * | 429 | yes | yes |
 * | connection broke, attempt timed out | yes | no: it may have taken effect |
 * | 500, 502, 503, 504 | yes | no: it may have taken effect |
 * | success whose body cannot be read | yes | no: it may have taken effect |
 * | any other answer | no | no |
 */
export function isRetryable(error: CloudServicesError, idempotent: boolean): boolean {
  if (error instanceof RateLimitError) return true;
  if (error instanceof ConnectionError) return idempotent || error.outcome === "notSent";
  if (!idempotent) return false;
  if (error instanceof ServerError) return error.status !== undefined && TRANSIENT_STATUSES.has(error.status);
  // Broken JSON may be a cut body; an answer of a wrong shape stays wrong.
  if (error instanceof UnreadableResponseError) return error.issues.length === 0;
  return error instanceof TimeoutError;
}

/** Milliseconds to wait before the next attempt: doubling from half a second to eight, the upper half by chance. */
export function backoff(retry: number, error: CloudServicesError, random: () => number): number {
  const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (retry - 1));
  const pause = longest * (0.5 + random() / 2);
  return error instanceof ServerError ? Math.max(pause, error.retryAfter ?? 0) : pause;
}
