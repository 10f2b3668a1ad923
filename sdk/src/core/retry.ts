import { afterAttempts, CloudServicesError } from "./base-error.js";
import type { Clock } from "./clock.js";
import { pause } from "./deadline.js";
import { RateLimitError } from "./errors.js";
import type { Limiter } from "./limiter.js";
import type { Log } from "./log.js";
import type { OutgoingRequest, Step } from "./request.js";
import { backoff, isRetryable } from "./retry-policy.js";

interface RetryContext {
  readonly clock: Clock;
  readonly random: () => number;
  readonly limiter: Limiter;
  readonly log: Log;
}

/**
 * Sends again what may be sent again, up to `maxRetries` times and never beyond the deadline. A 429 counts as a
 * retry only when nothing of this client got through since the last attempt: waiting in a line that moves is
 * not failing.
 */
export function withRetry<A>(next: Step<A>, { clock, random, limiter, log }: RetryContext): Step<A> {
  return async (request) => {
    let retries = 0;
    let ambiguous = false;
    for (let attempt = 1; ; attempt += 1) {
      const acceptedBefore = limiter.accepted;
      try {
        return await next(request);
      } catch (error) {
        if (!(error instanceof CloudServicesError)) throw error;
        // One attempt that may have taken effect makes the whole call one that may have.
        ambiguous ||= error.outcome === "ambiguous" && request.method !== "GET";
        const finalError = () => afterAttempts(error, attempt, ambiguous);

        if (request.maxRetries === 0 || !isRetryable(error, request.idempotent)) throw finalError();
        const isMoving = error instanceof RateLimitError && limiter.accepted > acceptedBefore;
        if (!isMoving) retries += 1;
        if (retries > request.maxRetries) throw finalError();
        // The limiter makes everybody wait after a 429, so that it need not be done here once more.
        const wait = error instanceof RateLimitError ? 0 : backoff(retries, error, random);
        const resumes = Math.max(wait, limiter.pauseLeft);
        if (clock.now() + resumes >= request.deadlineAt) throw finalError();

        report(log, request, error, attempt, resumes);
        if (wait > 0) await pauseOrFail(wait, request, clock, finalError);
      }
    }
  };
}

/** Giving up between two attempts must not hide that an earlier one may have taken effect. */
async function pauseOrFail(
  wait: number,
  request: OutgoingRequest,
  clock: Clock,
  finalError: () => CloudServicesError,
): Promise<void> {
  try {
    await pause(wait, request, clock);
  } catch (error) {
    const { outcome, attempts } = finalError();
    if (!(error instanceof CloudServicesError)) throw error;
    throw afterAttempts(error, attempts ?? 1, outcome === "ambiguous");
  }
}

function report(
  log: Log,
  request: OutgoingRequest,
  error: CloudServicesError,
  attempt: number,
  pause: number,
): void {
  log.info(`${request.method} ${request.path}: attempt ${attempt} failed, next in ${Math.round(pause)} ms`, {
    attempt,
    maxRetries: request.maxRetries,
    code: error.code,
    status: error.status,
    requestId: error.requestId,
    pauseMs: Math.round(pause),
  });
}
