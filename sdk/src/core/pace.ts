/** The shortest time over which a rate is measured: the usual window of a limit, milliseconds. */
const WINDOW = 1_000;
/** `Retry-After` has whole seconds, so it is up to one second too long. */
const ROUNDED_UP = 1_000;
/** The share of the measured rate to use, so that network jitter does not exceed the limit. */
const SAFETY_FACTOR = 0.97;
/** The factor by which a faster rate is tried, and by which a refused rate drops at least. */
const STEP = 1.1;
/** Two measured rates within this factor belong to the same limit. */
const SAME_LIMIT = 1.5;
/**
 * Milliseconds for which a rate holds before faster ones are tried. Doubles each time the same limit shows again. Each
 * try ends in a 429, whose `Retry-After` stops all requests for at least a second.
 */
const HOLD = 30_000;
const MAX_HOLD = 60_000;
const GROWING_STEP = 1_000;
/**
 * The lateness of timers that later requests make up for, milliseconds. It takes half of what the safety factor leaves
 * unused; jitter may take the rest.
 */
const CATCH_UP = (WINDOW * (1 - SAFETY_FACTOR)) / 2;
/** Enough for the longest `Retry-After` at 160 requests a second. */
const MAX_REMEMBERED = 10_000;

interface Measurement {
  readonly since: number;
  /** Milliseconds. */
  readonly window: number;
  /** The highest rate that may follow from it, requests a second. */
  readonly highest: number;
}

/**
 * How fast requests may start. Unlimited until a 429 shows the rate that the service allows: the requests accepted
 * within the last second, or within the time of its `Retry-After`. The window slides, so idle time before a burst does
 * not count.
 */
export class Pace {
  #perSecond = Number.POSITIVE_INFINITY;
  #holdFor = HOLD;
  #learned = Number.POSITIVE_INFINITY;
  #growsAt = Number.POSITIVE_INFINITY;
  #nextAt = Number.NEGATIVE_INFINITY;
  #acceptedAt: number[] = [];
  /** The last measurement, until the next request starts. */
  #measurement: Measurement | undefined;

  /** Requests a second. */
  get perSecond(): number {
    return this.#perSecond;
  }

  /** When the next request may start, by the client's clock. */
  get nextAt(): number {
    return this.#nextAt;
  }

  recordSent(now: number): void {
    this.#measurement = undefined;
    if (this.#perSecond === Number.POSITIVE_INFINITY) return;
    this.#nextAt = Math.max(this.#nextAt, now - CATCH_UP) + 1_000 / this.#perSecond;
  }

  recordAccepted(now: number): void {
    this.#acceptedAt.push(now);
    if (this.#acceptedAt.length >= 2 * MAX_REMEMBERED) this.#acceptedAt.splice(0, MAX_REMEMBERED);
    // It was in flight together with the refused request, so the service accepted it in the same window.
    if (this.#measurement !== undefined) this.#measure(this.#measurement);
    if (now < this.#growsAt) return;
    this.#growsAt = now + GROWING_STEP;
    // Far above the measured rate, the limit has changed, so the rate grows faster.
    this.#perSecond *= this.#perSecond < this.#learned * SAME_LIMIT ? STEP : SAME_LIMIT;
  }

  /**
   * Learns the rate from a 429. Returns false when it shows none, as after a few requests in a quiet time.
   *
   * @param retryAfter - `Retry-After` in milliseconds.
   * @param pending - How many requests are in flight or waiting.
   * @param enough - From how many requests on the limit of the service, and not the program, has set the rate.
   */
  recordRateLimited(now: number, retryAfter: number, pending: number, enough: number): boolean {
    const window = Math.max(WINDOW, retryAfter - ROUNDED_UP);
    const accepted = this.#acceptedSince(now - window);
    if (accepted === 0 || accepted + pending < enough) return false;
    const learned = this.#learned;
    this.#measurement = { since: now - window, window, highest: this.#perSecond / STEP };
    const rate = this.#measure(this.#measurement);
    const isSame = rate > learned / SAME_LIMIT && rate < learned * SAME_LIMIT;
    this.#holdFor = isSame ? Math.min(MAX_HOLD, this.#holdFor * 2) : HOLD;
    this.#growsAt = now + this.#holdFor;
    return true;
  }

  #measure({ since, window, highest }: Measurement): number {
    const measured = (SAFETY_FACTOR * this.#acceptedSince(since) * 1_000) / window;
    this.#perSecond = Math.min(measured, highest);
    this.#learned = this.#perSecond;
    return this.#perSecond;
  }

  #acceptedSince(time: number): number {
    const oldest = this.#acceptedAt.findIndex((at) => at > time);
    return oldest === -1 ? 0 : this.#acceptedAt.length - oldest;
  }
}
