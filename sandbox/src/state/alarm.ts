import type { Clock } from "./clock.js";

/** The limit of Node's timers. */
const LONGEST = 2 ** 31 - 1;

/** Fires when virtual time reaches an instant; never while the clock is frozen. Does not keep the process alive. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Replaces the instant; `undefined` cancels. */
  set(at: number | undefined): void {
    clearTimeout(this.#timer);
    if (at === undefined || this.#clock.frozen) return;
    const wait = Math.min(LONGEST, Math.max(0, Math.ceil(at - this.#clock.now())));
    this.#timer = setTimeout(this.#ring, wait);
    this.#timer.unref();
  }
}
