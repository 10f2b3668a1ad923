import type { CloudServicesError } from "./base-error.js";
import type { ListPromise } from "./pages.js";
import type { RequestOptions } from "./request-options.js";

/** How to wait. */
export interface WaitOptions<T> {
  /** Milliseconds until the wait gives up with a {@link WaitTimeoutError}. Default 900,000 (15 minutes). */
  readonly timeout?: number | undefined;
  /** Gives the wait up. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from the first look to the second. Default: the client's `pollInterval`. */
  readonly interval?: number | undefined;
  /** Called after each look, also after one that failed. */
  readonly onPoll?: ((poll: Poll<T>) => void) | undefined;
}

/** What one look found. */
export interface Poll<T> {
  readonly id: string;
  /** Counted from 1. */
  readonly attempt: number;
  readonly status?: string;
  readonly resource?: T;
  /** Why this look failed; the wait goes on. */
  readonly error?: CloudServicesError;
  /** Milliseconds since the wait began. */
  readonly elapsed: number;
}

/** `incomplete`: the status, or what a ready resource must have, was left out; a list may do so. */
export type Readiness = "pending" | "incomplete" | "ready" | "failed";

/** A kind of resource that can be waited for. */
export interface PollTarget<T> {
  /** For messages, e.g. `database`. */
  readonly noun: string;
  readonly path: (id: string) => string;
  /** The call that deletes one, as a program writes it. */
  readonly deletion: (id: string) => string;
  readonly get: (id: string, options: RequestOptions) => Promise<T>;
  readonly list: (options: RequestOptions) => ListPromise<T>;
}
