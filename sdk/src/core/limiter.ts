import type { Clock } from "./clock.js";
import { throwIfEnded, watchDeadline } from "./deadline.js";
import { RateLimitError } from "./errors.js";
import { Pace } from "./pace.js";
import type { OutgoingRequest, Step } from "./request.js";

const SHORTEST_PAUSE = 250;
const LONGEST_PAUSE = 30_000;
/** Slower than the windows of usual limits: growing within one would run into it again. */
const GROWING_STEP = 1_000;

interface Waiting {
  readonly arrival: number;
  readonly go: () => void;
}

/**
 * How many requests of one client are in flight, and how fast they go out. On a 429, it pauses for as long as the
 * service asks (or a growing while when it does not say). If the refusal shows which rate the service allows, requests
 * go out at that pace from then on. Otherwise it halves how many are in flight, and grows back by one for each second
 * without refusal. Requests go in the order of their arrival, also when they are retried.
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

  /** How many requests were answered with something else than a 429. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Milliseconds until requests go out again. */
  get pauseLeft(): number {
    return Math.max(0, this.#pausedUntil - this.#clock.now());
  }

  /** How many may be in flight at present. */
  get concurrency(): number {
    return Math.floor(this.#concurrency);
  }

  /** Requests a second; infinite until a refusal shows what the service allows. */
  get perSecond(): number {
    return this.#pace.perSecond;
  }

  /** Resolves when the request may go. Its place is given back with `leave`. */
  async acquire(request: OutgoingRequest): Promise<void> {
    throwIfEnded(request, this.#clock);
    if (this.#head === this.#waiting.length && this.#canStart()) {
      this.#start();
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const waiting: Waiting = {
        arrival: request.arrival,
        go: () => {
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

  /** An answer other than 429. */
  recordAccepted(): void {
    this.#accepted += 1;
    this.#consecutiveRefusals = 0;
    const now = this.#clock.now();
    this.#pace.recordAccepted(now);
    if (this.#concurrency >= this.#maxConcurrency || now - this.#changedAt < GROWING_STEP) return;
    this.#changedAt = now;
    this.#concurrency = Math.min(this.#maxConcurrency, Math.floor(this.#concurrency) + 1);
  }

  /** A 429. Those that were in flight together are refused together, and count as one. */
  recordRateLimited(retryAfter: number | undefined): void {
    const alreadyPaused = this.pauseLeft > 0;
    const asked = retryAfter !== undefined && retryAfter > 0 ? retryAfter : undefined;
    if (!alreadyPaused) {
      this.#consecutiveRefusals += 1;
      this.#changedAt = this.#clock.now();
      // When nothing has passed since the last refusal, there is nothing new to measure.
      if (this.#consecutiveRefusals > 1 || !this.#learnPace(asked))
        this.#concurrency = Math.max(1, this.#concurrency / 2);
    }
    if (alreadyPaused && asked === undefined) return;
    const until = this.#clock.now() + (asked ?? this.#backoff());
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    this.#setAlarm();
  }

  #learnPace(asked = 0): boolean {
    const pending = this.#inFlight + this.#waiting.length - this.#head;
    return this.#pace.recordRateLimited(this.#clock.now(), asked, pending, this.concurrency);
  }

  #backoff(): number {
    const longest = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** (this.#consecutiveRefusals - 1));
    return longest * (0.5 + this.#random() / 2);
  }

  /** Nothing but a full width keeps the next request from going. */
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
      next?.go();
    }
    if (this.#head > 1024 || this.#head === this.#waiting.length) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
    this.#setAlarm();
  }

  /** Only time can let the next request go: not when none waits, and not when one in flight has to end first. */
  #setAlarm(): void {
    const isNeeded = this.#head < this.#waiting.length && this.#inFlight < this.concurrency;
    const at = this.#nextStartAt();
    if (isNeeded && this.#alarm?.at === at) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (!isNeeded) return;
    // The moment may have come since the queue was looked at, so an alarm is set all the same.
    const cancel = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      this.#alarm = undefined;
      this.#startWaiting();
    });
    this.#alarm = { at, cancel };
  }

  #enqueue(waiting: Waiting): void {
    let place = this.#waiting.length;
    // Newcomers belong to the end; only who comes again has to be sorted in, and belongs near the head.
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

/** Lets a request pass when the limiter has a place, and tells the limiter how it went. */
export function withRateLimit<A>(next: Step<A>, limiter: Limiter): Step<A> {
  return async (request) => {
    await limiter.acquire(request);
    try {
      const response = await next(request);
      limiter.recordAccepted();
      return response;
    } catch (error) {
      if (error instanceof RateLimitError) limiter.recordRateLimited(error.retryAfter);
      // What was answered with an error passed too; what got no answer tells nothing about the rate.
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
