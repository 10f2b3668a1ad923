import type { Sandbox } from "cloudservices-sandbox";

/** The clock of a run. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Makes the service use this clock. */
  control(clock: Sandbox["clock"]): void;
  /** Excludes one request in flight, which gets no response. Returns the function to call when it ends. */
  excludeOne(): () => void;
  /** Waits as a person does between two commands. */
  pause(milliseconds: number): Promise<void>;
  stop(): void;
}

/**
 * The virtual time of one run. It stands still while a request is in flight, and otherwise jumps to the next timer. So a
 * pause of a minute takes no time, and the judge can check `Retry-After` to the millisecond.
 */
export class VirtualTime implements Clock {
  /** Milliseconds since 1970. */
  now = Date.UTC(2027, 2, 1, 12);
  /** The number of requests in flight that time waits for. */
  #busy = 0;
  #activity = 0;
  #stopped = false;
  #made = 0;
  readonly #timers = new Map<number, Timer>();
  readonly #before: ((milliseconds: number) => Promise<void>)[] = [];

  constructor() {
    void this.#run();
  }

  control(clock: Sandbox["clock"]): void {
    clock.freeze(new Date(this.now));
    this.#before.push((step) => clock.advance(step));
  }

  /** Time stands still until the returned function is called. */
  hold(): () => void {
    this.#busy += 1;
    this.#activity += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#busy -= 1;
      this.#activity += 1;
    };
  }

  excludeOne(): () => void {
    this.#busy -= 1;
    let ignored = true;
    return () => {
      if (ignored) this.#busy += 1;
      ignored = false;
    };
  }

  after(milliseconds: number, run: () => void, weak = false): Timer {
    this.#made += 1;
    const timer = new Timer(this.#made, this.now + Math.max(1, milliseconds), run, weak, (id) =>
      this.#timers.delete(id),
    );
    this.#timers.set(timer.id, timer);
    return timer;
  }

  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.after(milliseconds, resolve));
  }

  stop(): void {
    this.#stopped = true;
    this.#timers.clear();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const seen = this.#activity;
      for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
      if (this.#busy > 0 || this.#activity !== seen) continue;
      const next = this.#next();
      if (next) await this.#moveTo(next);
      // This run is idle: lets other runs work.
      else await new Promise<void>((resolve) => setTimeout(resolve, 1));
    }
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers.values()) {
      if (timer.weak) continue;
      if (!next || timer.at < next.at || (timer.at === next.at && timer.id < next.id)) next = timer;
    }
    return next;
  }

  async #moveTo(timer: Timer): Promise<void> {
    const step = timer.at - this.now;
    if (step > 0) {
      for (const move of this.#before) await move(step);
      this.now += step;
    }
    if (!this.#timers.delete(timer.id)) return;
    timer.run();
  }
}

/** The part of `setTimeout`'s result that the provider uses. */
export class Timer {
  constructor(
    readonly id: number,
    readonly at: number,
    readonly run: () => void,
    public weak: boolean,
    readonly cancel: (id: number) => void,
  ) {}

  unref(): this {
    this.weak = true;
    return this;
  }

  ref(): this {
    this.weak = false;
    return this;
  }
}
