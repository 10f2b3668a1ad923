/** The shortest time over which a rate is measured: the usual window of a limit, milliseconds. */
const WINDOW = 1_000;
/** `Retry-After` is in whole seconds, so it asks for up to one more than is needed. */
const ROUNDED_UP = 1_000;
/** The share of the measured rate that is used, so that the jitter of the network does not exceed it. */
const USED = 0.95;
/** How much faster is tried, and how much slower a refused rate becomes at least. */
const STEP = 1.1;
/** Two measured rates within this factor show the same limit. */
const SAME = 1.5;
/** How long a rate is kept before a faster one is tried each second; twice as long when that shows the same limit again. */
const KEPT = 10_000;
const KEPT_AT_MOST = 60_000;
const GROWING_STEP = 1_000;
/** What the unused share of a window makes up for when timers fire late, milliseconds. */
const CATCH_UP = WINDOW * (1 - USED);
/** Enough for the longest `Retry-After` at 160 requests a second. */
const REMEMBERED = 10_000;

/**
 * How fast requests may go out. Unbounded until a refusal shows the rate that the service allows: what passed within
 * the last second, or within as long as the service asks to wait. This window slides, so idle time before a burst does
 * not count.
 */
export class Pace {
  #perSecond = Number.POSITIVE_INFINITY;
  #kept = KEPT;
  #learned = Number.POSITIVE_INFINITY;
  #growsAt = Number.POSITIVE_INFINITY;
  #nextAt = Number.NEGATIVE_INFINITY;
  #passes: number[] = [];

  /** Requests a second. */
  get perSecond(): number {
    return this.#perSecond;
  }

  /** When the next request may go. */
  get nextAt(): number {
    return this.#nextAt;
  }

  sent(now: number): void {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return;
    this.#nextAt = Math.max(this.#nextAt, now - CATCH_UP) + 1_000 / this.#perSecond;
  }

  passed(now: number): void {
    this.#passes.push(now);
    if (this.#passes.length >= 2 * REMEMBERED) this.#passes.splice(0, REMEMBERED);
    if (now < this.#growsAt) return;
    this.#growsAt = now + GROWING_STEP;
    // So far above the measured rate, the limit is another one by now.
    this.#perSecond *= this.#perSecond < this.#learned * SAME ? STEP : SAME;
  }

  /**
   * Learns from a refusal, if it shows a rate: a few requests after a quiet time do not.
   *
   * @param asked - How long the service asks to wait, milliseconds.
   * @param pending - How many requests are in flight or waiting.
   * @param enough - How many requests are a demand that the limit, and not the program, has bounded.
   */
  refused(now: number, asked: number, pending: number, enough: number): boolean {
    const window = Math.max(WINDOW, asked - ROUNDED_UP);
    const passed = this.#passedSince(now - window);
    if (passed === 0 || passed + pending < enough) return false;
    const measured = (USED * passed * 1_000) / window;
    const rate = Math.min(measured, this.#perSecond / STEP);
    const isSame = rate > this.#learned / SAME && rate < this.#learned * SAME;
    this.#kept = isSame ? Math.min(KEPT_AT_MOST, this.#kept * 2) : KEPT;
    this.#growsAt = now + this.#kept;
    this.#perSecond = rate;
    this.#learned = rate;
    return true;
  }

  #passedSince(time: number): number {
    const oldest = this.#passes.findIndex((at) => at > time);
    return oldest === -1 ? 0 : this.#passes.length - oldest;
  }
}
