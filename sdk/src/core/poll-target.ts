import type { ListPromise } from "./pages.js";
import type { RequestOptions } from "./request-options.js";

/** What polling needs to know of a resource of any kind. */
export interface Polled {
  readonly id: string;
  readonly status?: string | undefined;
  readonly statusReason?: string | undefined;
}

/** `incomplete`: the status, or what a ready resource must have, is missing; a list may leave it out. */
export type Readiness = "pending" | "incomplete" | "ready" | "failed";

/** A kind of resource that can be polled. */
export interface PollTarget<T> {
  /** For messages, e.g. `database`. */
  readonly noun: string;
  /** The path of the request, for errors. */
  readonly path: (id: string) => string;
  readonly get: (id: string, options: RequestOptions) => Promise<T>;
  /** Absent: every resource is polled by its own request. */
  readonly list?: (options: RequestOptions) => ListPromise<T>;
  /** The call that deletes one, as a program writes it. Absent: no resource of this kind fails. */
  readonly deletion?: (id: string) => string;
  readonly pauses: Pauses;
  /** Milliseconds for which a 404 for a resource not seen before is no proof: lists and replicas may lag behind. */
  readonly newResourceGrace: number;
}

/**
 * How the pause between two polls grows. It follows the time waited so far, so that a short wait notices the end at once
 * and a long one by a constant share late.
 */
export interface Pauses {
  /** The pause as a share of the time waited so far. */
  readonly share: number;
  /** Milliseconds. */
  readonly longest: number;
}

/** What a wait waits for. */
export interface Goal<T> {
  /** Judges what a poll has found. */
  readonly judge: (resource: T) => Readiness;
  /** Whether the wait ends when the service proves that the resource does not exist. */
  readonly endsWhenDeleted: boolean;
  /** What is missing at the timeout, after the name of the resource: `is not ready after 5 ms`. */
  readonly unmet: (timeout: number, lastSeen: T | undefined) => string;
  /** What to do after the timeout. */
  readonly advice: string;
}
