import type { CloudServicesError } from "./base-error.js";

/** How to wait. */
export interface WaitOptions<T> {
  /** Milliseconds until the wait fails with a {@link WaitTimeoutError}. Default 900,000 (15 minutes). */
  readonly timeout?: number | undefined;
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the first poll to the second. Later pauses grow. Default: the client's `pollInterval`. */
  readonly interval?: number | undefined;
  /** Called after each poll, also after one that failed. */
  readonly onPoll?: ((poll: Poll<T>) => void) | undefined;
}

/** The result of one poll. */
export interface Poll<T> {
  /** The id of the resource. */
  readonly id: string;
  /** Counted from 1. */
  readonly attempt: number;
  /** The status that this poll has found. */
  readonly status?: string;
  /** The resource as this poll has found it. */
  readonly resource?: T;
  /** Why this poll failed; the wait continues. */
  readonly error?: CloudServicesError;
  /** Milliseconds since the wait began. */
  readonly elapsed: number;
}
