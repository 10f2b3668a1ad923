import type { Clock } from "./clock.js";

/** Node's timers cannot wait longer. */
const LONGEST = 2 ** 31 - 1;

/** Rings when virtual time reaches an instant; a frozen clock never gets there. Keeps no process alive. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** For one instant at a time; `undefined` and a stopped clock silence it. */
  set(at: number | undefined): void {
    clearTimeout(this.#timer);
    if (at === undefined || this.#clock.frozen) return;
    const wait = Math.min(LONGEST, Math.max(0, Math.ceil(at - this.#clock.now())));
    this.#timer = setTimeout(this.#ring, wait);
    this.#timer.unref();
  }
}
