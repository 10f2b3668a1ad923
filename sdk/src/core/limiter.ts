import { refuseEnded, watchBounds } from "./bounds.js";
import type { Clock } from "./clock.js";
import { RateLimitError } from "./errors.js";
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
 * How many requests of one client are in the air. It halves on a 429, pauses for as long as the service asks
 * (or a growing while when it does not say), and grows back by one for each second without refusal. Who came
 * first goes first, also when he was refused and comes again.
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
  #reopening: (() => void) | undefined;
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

  /** Resolves when the request may go. Its place is given back with `leave`. */
  async enter(request: OutgoingRequest): Promise<void> {
    refuseEnded(request, this.#clock);
    if (this.#head === this.#waiting.length && this.#open()) {
      this.#inTheAir += 1;
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
    if (this.#width >= this.#most || now - this.#changedAt < GROWING_STEP) return;
    this.#changedAt = now;
    this.#width = Math.min(this.#most, Math.floor(this.#width) + 1);
  }

  /** A 429. Those that were in the air together are refused together, and count as one. */
  refuse(retryAfter: number | undefined): void {
    const alreadyClosed = this.pauseLeft > 0;
    if (!alreadyClosed) {
      this.#refusalsInARow += 1;
      this.#width = Math.max(1, this.#width / 2);
      this.#changedAt = this.#clock.now();
    }
    const asked = retryAfter !== undefined && retryAfter > 0 ? retryAfter : undefined;
    if (alreadyClosed && asked === undefined) return;
    this.#closeFor(asked ?? this.#growingPause());
  }

  #growingPause(): number {
    const longest = Math.min(LONGEST_PAUSE, SHORTEST_PAUSE * 2 ** (this.#refusalsInARow - 1));
    return longest * (0.5 + this.#random() / 2);
  }

  #closeFor(milliseconds: number): void {
    const until = this.#clock.now() + milliseconds;
    if (until <= this.#closedUntil) return;
    this.#closedUntil = until;
    this.#reopening?.();
    this.#reopening = this.#clock.after(milliseconds, () => {
      this.#reopening = undefined;
      // A timer may come a little before its time.
      this.#closedUntil = Number.NEGATIVE_INFINITY;
      this.#admit();
    });
  }

  #open(): boolean {
    return this.#inTheAir < this.width && this.pauseLeft === 0;
  }

  #admit(): void {
    while (this.#head < this.#waiting.length && this.#open()) {
      const next = this.#waiting[this.#head];
      this.#head += 1;
      this.#inTheAir += 1;
      next?.go();
    }
    if (this.#head > 1024 || this.#head === this.#waiting.length) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
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
