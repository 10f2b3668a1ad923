import type { Clock } from "../core/clock.js";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that only a test advances, so that no test depends on the speed of the machine. */
export class FakeClock implements Clock {
  #now = 0;
  #timers: Timer[] = [];
  readonly #epoch: number;

  constructor(epoch = Date.UTC(2030, 0, 1)) {
    this.#epoch = epoch;
  }

  /** How many timers are set. */
  get timers(): number {
    return this.#timers.length;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#epoch + this.#now;
  }

  after(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.#now + milliseconds, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Advances the time, runs due timers in order, and everything that they trigger. */
  async advance(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    await flush();
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((other) => other !== next);
      this.#now = Math.max(this.#now, next.at);
      next.run();
      await flush();
    }
    this.#now = until;
    await flush();
  }
}

/** Resolves when all pending callbacks have run. */
export function flush(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
