import { type Attempts, afterAttempts, CloudServicesError } from "./base-error.js";
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
 * Retries what is safe to retry, up to `maxRetries` times and never beyond the deadline. A 429 counts as a retry only
 * when no other request of this client got through since the last attempt: a slow queue is no failure.
 */
export function withRetry<A>(next: Step<A>, { clock, random, limiter, log }: RetryContext): Step<A> {
  return async (request) => {
    let retries = 0;
    let ambiguous = false;
    let resourceId: string | undefined;
    for (let attempts = 1; ; attempts += 1) {
      const acceptedBefore = limiter.accepted;
      try {
        return await next(request);
      } catch (error) {
        if (!(error instanceof CloudServicesError)) throw error;
        // One attempt that may have succeeded makes the whole call ambiguous.
        ambiguous ||= error.outcome === "ambiguous" && request.method !== "GET";
        resourceId ??= error.resourceId;
        const shown = { attempts, ambiguous, resourceId };
        const finalError = () => afterAttempts(error, shown);

        if (request.maxRetries === 0 || !isRetryable(error, request.idempotent)) throw finalError();
        const isMoving = error instanceof RateLimitError && limiter.accepted > acceptedBefore;
        if (!isMoving) retries += 1;
        if (retries > request.maxRetries) throw finalError();
        // After a 429 the limiter pauses all requests, so there is no second pause here.
        const wait = error instanceof RateLimitError ? 0 : backoff(retries, error, random);
        const pauseMs = Math.max(wait, limiter.pauseLeft);
        if (clock.now() + pauseMs >= request.deadlineAt) throw finalError();

        report(log, request, error, attempts, pauseMs);
        if (wait > 0) await pauseOrFail(wait, request, clock, shown);
      }
    }
  };
}

/** Pauses between two attempts. An abort or a deadline meanwhile keeps what the attempts before have shown. */
async function pauseOrFail(
  wait: number,
  request: OutgoingRequest,
  clock: Clock,
  shown: Attempts,
): Promise<void> {
  try {
    await pause(wait, request, clock);
  } catch (error) {
    throw error instanceof CloudServicesError ? afterAttempts(error, shown) : error;
  }
}

function report(
  log: Log,
  request: OutgoingRequest,
  error: CloudServicesError,
  attempt: number,
  pauseMs: number,
): void {
  log.info(
    `${request.method} ${request.path}: attempt ${attempt} failed, next in ${Math.round(pauseMs)} ms`,
    {
      attempt,
      maxRetries: request.maxRetries,
      code: error.code,
      status: error.status,
      requestId: error.requestId,
      pauseMs: Math.round(pauseMs),
    },
  );
}
