import { refuseEnded, watchBounds } from "./bounds.js";
import type { Clock } from "./clock.js";
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
  readonly #most: number;
  readonly #clock: Clock;
  readonly #random: () => number;
  #width: number;
  #changedAt = Number.NEGATIVE_INFINITY;
  #inTheAir = 0;
  #passed = 0;
  #refusalsInARow = 0;
  #closedUntil = Number.NEGATIVE_INFINITY;
  readonly #pace = new Pace();
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  #waiting: Waiting[] = [];
  #head = 0;

  constructor(most: number, clock: Clock, random: () => number) {
    this.#most = most;
    this.#width = most;
    this.#clock = clock;
    this.#random = random;
  }

  /** How many requests were answered with something else than a 429. */
  get passed(): number {
    return this.#passed;
  }

  /** Milliseconds until requests go out again. */
  get pauseLeft(): number {
    return Math.max(0, this.#closedUntil - this.#clock.now());
  }

  /** How many may be in the air at present. */
  get width(): number {
    return Math.floor(this.#width);
  }

  /** Requests a second; infinite until a refusal shows what the service allows. */
  get perSecond(): number {
    return this.#pace.perSecond;
  }

  /** Resolves when the request may go. Its place is given back with `leave`. */
  async enter(request: OutgoingRequest): Promise<void> {
    refuseEnded(request, this.#clock);
    if (this.#head === this.#waiting.length && this.#open()) {
      this.#begin();
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
      const end = watchBounds(request, this.#clock, false, (verdict) => {
        this.#remove(waiting);
        this.#setAlarm();
        reject(verdict("notSent"));
      });
      this.#enqueue(waiting);
      this.#admit();
    });
  }

  leave(): void {
    this.#inTheAir -= 1;
    this.#admit();
  }

  /** An answer other than 429. */
  pass(): void {
    this.#passed += 1;
    this.#refusalsInARow = 0;
    const now = this.#clock.now();
    this.#pace.passed(now);
    if (this.#width >= this.#most || now - this.#changedAt < GROWING_STEP) return;
    this.#changedAt = now;
    this.#width = Math.min(this.#most, Math.floor(this.#width) + 1);
  }

  /** A 429. Those that were in the air together are refused together, and count as one. */
  refuse(retryAfter: number | undefined): void {
    const alreadyClosed = this.pauseLeft > 0;
    const asked = retryAfter !== undefined && retryAfter > 0 ? retryAfter : undefined;
    if (!alreadyClosed) {
      this.#refusalsInARow += 1;
      this.#changedAt = this.#clock.now();
      // When nothing has passed since the last refusal, there is nothing new to measure.
      if (this.#refusalsInARow > 1 || !this.#learnPace(asked)) this.#width = Math.max(1, this.#width / 2);
    }
    if (alreadyClosed && asked === undefined) return;
    const until = this.#clock.now() + (asked ?? this.#growingPause());
    this.#closedUntil = Math.max(this.#closedUntil, until);
    this.#setAlarm();
  }

  #learnPace(asked = 0): boolean {
    const pending = this.#inTheAir + this.#waiting.length - this.#head;
    return this.#pace.refused(this.#clock.now(), asked, pending, this.width);
  }

  #growingPause(): number {
    const longest = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** (this.#refusalsInARow - 1));
    return longest * (0.5 + this.#random() / 2);
  }

  /** Nothing but a full width keeps the next request from going. */
  #opensAt(): number {
    return Math.max(this.#closedUntil, this.#pace.nextAt);
  }

  #open(): boolean {
    return this.#inTheAir < this.width && this.#opensAt() <= this.#clock.now();
  }

  #begin(): void {
    this.#inTheAir += 1;
    this.#pace.sent(this.#clock.now());
  }

  #admit(): void {
    while (this.#head < this.#waiting.length && this.#open()) {
      const next = this.#waiting[this.#head];
      this.#head += 1;
      this.#begin();
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
    const isNeeded = this.#head < this.#waiting.length && this.#inTheAir < this.width;
    const at = this.#opensAt();
    if (isNeeded && this.#alarm?.at === at) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (!isNeeded) return;
    // The moment may have come since the queue was looked at, so an alarm is set all the same.
    const cancel = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      this.#alarm = undefined;
      this.#admit();
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

  #remove(waiting: Waiting): void {
    const at = this.#waiting.indexOf(waiting, this.#head);
    if (at !== -1) this.#waiting.splice(at, 1);
  }
}

/** Lets a request pass when the limiter has a place, and tells the limiter how it went. */
export function limited<A>(next: Step<A>, limiter: Limiter): Step<A> {
  return async (request) => {
    await limiter.enter(request);
    try {
      const answer = await next(request);
      limiter.pass();
      return answer;
    } catch (error) {
      if (error instanceof RateLimitError) limiter.refuse(error.retryAfter);
      // What was answered with an error passed too; what got no answer tells nothing about the rate.
      else if (hasStatus(error)) limiter.pass();
      throw error;
    } finally {
      limiter.leave();
    }
  };
}

function hasStatus(error: unknown): boolean {
  return error instanceof Error && "status" in error && error.status !== undefined;
}
