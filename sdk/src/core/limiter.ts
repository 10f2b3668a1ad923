import type { Clock } from "./clock.js";
import { throwIfEnded, watchDeadline } from "./deadline.js";
import { RateLimitError } from "./errors.js";
import { Pace } from "./pace.js";
import type { OutgoingRequest, Step } from "./request.js";

const SHORTEST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;
/** Longer than the windows of usual limits, so that it grows at most once within one. Milliseconds. */
const GROWING_STEP = 1_000;

interface Waiting {
  readonly arrival: number;
  readonly start: () => void;
}

/**
 * Limits how many requests of one client are in flight, and how fast they start. On a 429 all requests pause for its
 * `Retry-After`, or for a growing backoff without one. If the 429 shows which rate the service allows, requests then
 * start at that pace. Otherwise the limit of requests in flight halves, and grows back by one for each second without a
 * 429. Requests start in order of arrival, retries included.
 */
export class Limiter {
  readonly #maxConcurrency: number;
  readonly #clock: Clock;
  readonly #random: () => number;
  #concurrency: number;
  #changedAt = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  #accepted = 0;
  #consecutiveRefusals = 0;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  readonly #pace = new Pace();
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  #waiting: Waiting[] = [];
  #head = 0;

  constructor(maxConcurrency: number, clock: Clock, random: () => number) {
    this.#maxConcurrency = maxConcurrency;
    this.#concurrency = maxConcurrency;
    this.#clock = clock;
    this.#random = random;
  }

  /** How many requests got a response other than 429. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Milliseconds until requests start again. */
  get pauseLeft(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }

  /** The most requests in flight at present. */
  get concurrency(): number {
    return Math.floor(this.#concurrency);
  }

  /** Requests a second; infinite until a 429 shows what the service allows. */
  get perSecond(): number {
    return this.#pace.perSecond;
  }

  /** Resolves when the request may start. `release` frees its slot. */
  async acquire(request: OutgoingRequest): Promise<void> {
    throwIfEnded(request, this.#clock);
    if (this.#head === this.#waiting.length && this.#canStart()) {
      this.#start();
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        arrival: request.arrival,
        start: () => {
          end();
          resolve();
        },
      };
      const end = watchDeadline(request, this.#clock, false, (makeError) => {
        this.#dequeue(waiting);
        this.#setAlarm();
        reject(makeError("notSent"));
      });
      this.#enqueue(waiting);
      this.#startWaiting();
    });
  }

  release(): void {
    this.#inFlight -= 1;
    this.#startWaiting();
  }

  /** Records a response other than 429. */
  recordAccepted(): void {
    this.#accepted += 1;
    this.#consecutiveRefusals = 0;
    const now = this.#clock.now();
    this.#pace.recordAccepted(now);
    if (this.#concurrency >= this.#maxConcurrency || now - this.#changedAt < GROWING_STEP) return;
    this.#changedAt = now;
    this.#concurrency = Math.min(this.#maxConcurrency, Math.floor(this.#concurrency) + 1);
  }

  /** Records a 429. Requests in flight together are refused together and count as one. */
  recordRateLimited(retryAfter: number | undefined): void {
    const alreadyPaused = this.pauseLeft > 0;
    const pauseMs = retryAfter !== undefined && retryAfter > 0 ? retryAfter : undefined;
    if (!alreadyPaused) {
      this.#consecutiveRefusals += 1;
      this.#changedAt = this.#clock.now();
      // Without a response since the last 429, there is nothing new to measure.
      if (this.#consecutiveRefusals > 1 || !this.#learnPace(pauseMs))
        this.#concurrency = Math.max(1, this.#concurrency / 2);
    }
    if (alreadyPaused && pauseMs === undefined) return;
    const until = this.#clock.now() + (pauseMs ?? this.#backoff());
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#setAlarm();
  }

  #learnPace(pauseMs = 0): boolean {
    const pending = this.#inFlight + this.#waiting.length - this.#head;
    return this.#pace.recordRateLimited(this.#clock.now(), pauseMs, pending, this.concurrency);
  }

  #backoff(): number {
    const longest = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** (this.#consecutiveRefusals - 1));
    return longest * (0.5 + this.#random() / 2);
  }

  /** When the next request may start, if there is a free slot. */
  #nextStartAt(): number {
    return Math.max(this.#pausedUntil, this.#pace.nextAt);
  }

  #canStart(): boolean {
    return this.#inFlight < this.concurrency && this.#nextStartAt() <= this.#clock.now();
  }

  #start(): void {
    this.#inFlight += 1;
    this.#pace.recordSent(this.#clock.now());
  }

  #startWaiting(): void {
    while (this.#head < this.#waiting.length && this.#canStart()) {
      const next = this.#waiting[this.#head];
      this.#head += 1;
      this.#start();
      next?.start();
    }
    if (this.#head > 1024 || this.#head === this.#waiting.length) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
    this.#setAlarm();
  }

  /** Sets a timer where only time keeps the next request from starting, and no missing slot. */
  #setAlarm(): void {
    const isNeeded = this.#head < this.#waiting.length && this.#inFlight < this.concurrency;
    const at = this.#nextStartAt();
    if (isNeeded && this.#alarm?.at === at) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (!isNeeded) return;
    // That time may have passed since the queue was checked, so a timer is set in any case.
    const cancel = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      this.#alarm = undefined;
      this.#startWaiting();
    });
    this.#alarm = { at, cancel };
  }

  #enqueue(waiting: Waiting): void {
    let place = this.#waiting.length;
    // New requests belong at the end; only a retry has to be sorted in, and belongs near the head.
    const last = this.#waiting[place - 1];
    if (place > this.#head && last !== undefined && last.arrival > waiting.arrival) {
      place = this.#waiting.findIndex((other, at) => at >= this.#head && other.arrival > waiting.arrival);
    }
    this.#waiting.splice(place, 0, waiting);
  }

  #dequeue(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting, this.#head);
    if (at !== -1) this.#waiting.splice(at, 1);
  }
}

/** Sends a request when the limiter has a free slot, and records the result in the limiter. */
export function withRateLimit<A>(next: Step<A>, limiter: Limiter): Step<A> {
  return async (request) => {
    await limiter.acquire(request);
    try {
      const response = await next(request);
      limiter.recordAccepted();
      return response;
    } catch (error) {
      if (error instanceof RateLimitError) limiter.recordRateLimited(error.retryAfter);
      // An error response counts as accepted. A missing response shows nothing about the rate.
      else if (hasStatus(error)) limiter.recordAccepted();
      throw error;
    } finally {
      limiter.release();
    }
  };
}

function hasStatus(error: unknown): boolean {
  return error instanceof Error && "status" in error && error.status !== undefined;
}
