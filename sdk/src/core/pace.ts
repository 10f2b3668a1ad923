/** The shortest time over which a rate is measured: the usual window of a limit, milliseconds. */
const WINDOW = 1_000;
/** `Retry-After` is in whole seconds, so it asks for up to one more than is needed. */
const ROUNDED_UP = 1_000;
/** The share of the measured rate that is used, so that the jitter of the network does not exceed it. */
const SAFETY_FACTOR = 0.95;
/** How much faster is tried, and how much slower a refused rate becomes at least. */
const STEP = 1.1;
/** Two measured rates within this factor show the same limit. */
const SAME_LIMIT = 1.5;
/** How long a rate is kept before a faster one is tried each second; twice as long when that shows the same limit again. */
const HOLD = 10_000;
const MAX_HOLD = 60_000;
const GROWING_STEP = 1_000;
/** What the unused share of a window makes up for when timers fire late, milliseconds. */
const CATCH_UP = WINDOW * (1 - SAFETY_FACTOR);
/** Enough for the longest `Retry-After` at 160 requests a second. */
const MAX_REMEMBERED = 10_000;

/**
 * How fast requests may go out. Unbounded until a refusal shows the rate that the service allows: what passed within
 * the last second, or within as long as the service asks to wait. This window slides, so idle time before a burst does
 * not count.
 */
export class Pace {
  #perSecond = Number.POSITIVE_INFINITY;
  #holdFor = HOLD;
  #learned = Number.POSITIVE_INFINITY;
  #growsAt = Number.POSITIVE_INFINITY;
  #nextAt = Number.NEGATIVE_INFINITY;
  #acceptedAt: number[] = [];

  /** Requests a second. */
  get perSecond(): number {
    return this.#perSecond;
  }

  /** When the next request may go. */
  get nextAt(): number {
    return this.#nextAt;
  }

  recordSent(now: number): void {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return;
    this.#nextAt = Math.max(this.#nextAt, now - CATCH_UP) + 1_000 / this.#perSecond;
  }

  recordAccepted(now: number): void {
    this.#acceptedAt.push(now);
    if (this.#acceptedAt.length >= 2 * MAX_REMEMBERED) this.#acceptedAt.splice(0, MAX_REMEMBERED);
    if (now < this.#growsAt) return;
    this.#growsAt = now + GROWING_STEP;
    // So far above the measured rate, the limit is another one by now.
    this.#perSecond *= this.#perSecond < this.#learned * SAME_LIMIT ? STEP : SAME_LIMIT;
  }

  /**
   * Learns from a refusal, if it shows a rate: a few requests after a quiet time do not.
   *
   * @param asked - How long the service asks to wait, milliseconds.
   * @param pending - How many requests are in flight or waiting.
   * @param enough - How many requests are a demand that the limit, and not the program, has bounded.
   */
  recordRateLimited(now: number, asked: number, pending: number, enough: number): boolean {
    const window = Math.max(WINDOW, asked - ROUNDED_UP);
    const accepted = this.#acceptedSince(now - window);
    if (accepted === 0 || accepted + pending < enough) return false;
    const measured = (SAFETY_FACTOR * accepted * 1_000) / window;
    const rate = Math.min(measured, this.#perSecond / STEP);
    const isSame = rate > this.#learned / SAME_LIMIT && rate < this.#learned * SAME_LIMIT;
    this.#holdFor = isSame ? Math.min(MAX_HOLD, this.#holdFor * 2) : HOLD;
    this.#growsAt = now + this.#holdFor;
    this.#perSecond = rate;
    this.#learned = rate;
    return true;
  }

  #acceptedSince(time: number): number {
    const oldest = this.#acceptedAt.findIndex((at) => at > time);
    return oldest === -1 ? 0 : this.#acceptedAt.length - oldest;
  }
}
