/** The state of a clock. */
export interface ClockSetting {
  /** Virtual time minus real time. */
  readonly offset: number;
  readonly frozenAt?: number | undefined;
}

/** The virtual clock: follows real time until it is frozen or moved. Milliseconds since 1970. */
export class Clock {
  readonly #realNow: () => number;
  #offset = 0;
  #frozenAt: number | undefined;
  #heading: number | undefined;
  /** Called after the clock is frozen, resumed or moved. */
  onChange: (setting: ClockSetting) => void = () => {};

  constructor(realNow: () => number) {
    this.#realNow = realNow;
  }

  get setting(): ClockSetting {
    return { offset: this.#offset, frozenAt: this.#frozenAt };
  }

  restore(setting: ClockSetting): void {
    this.#offset = setting.offset;
    this.#frozenAt = setting.frozenAt;
    this.onChange(this.setting);
  }

  now(): number {
    return this.#frozenAt ?? this.#realNow() + this.#offset;
  }

  /** Returns the target of a move in progress, or the present. */
  get destination(): number {
    return Math.max(this.#heading ?? 0, this.now());
  }

  /** Sets the destination while `steps` runs. */
  async moveTowards(at: number, steps: () => Promise<void>): Promise<void> {
    this.#heading = at;
    try {
      await steps();
    } finally {
      this.#heading = undefined;
    }
  }

  get frozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  /** @throws RangeError when `at` is no valid time. */
  freeze(at: number = this.now()): void {
    this.#frozenAt = requireInstant(at);
    this.onChange(this.setting);
  }

  /** Lets time continue from where it stopped. */
  resume(): void {
    if (this.#frozenAt === undefined) return;
    this.#offset = this.#frozenAt - this.#realNow();
    this.#frozenAt = undefined;
    this.onChange(this.setting);
  }

  /** Returns to real time. */
  reset(): void {
    this.#offset = 0;
    this.#frozenAt = undefined;
    this.onChange(this.setting);
  }

  /** Moves time to `at`. A running clock continues from there. */
  set(at: number): void {
    if (this.#frozenAt === undefined) this.#offset = at - this.#realNow();
    else this.#frozenAt = at;
    this.onChange(this.setting);
  }
}

/** Returns whether a date can represent the time. */
export const isInstant = (milliseconds: number): boolean => !Number.isNaN(new Date(milliseconds).getTime());

/** ECMAScript, "Time Values and Time Range". */
const LAST_INSTANT = 8.64e15;

/** Returns the nearest time that a date can represent. */
export const nearestInstant = (milliseconds: number): number =>
  Math.min(Math.max(milliseconds, -LAST_INSTANT), LAST_INSTANT);

/**
 * Returns the time.
 * @throws RangeError when a date cannot represent it.
 */
export function requireInstant(milliseconds: number): number {
  if (!isInstant(milliseconds)) throw new RangeError(`invalid time: ${milliseconds} ms since 1970`);
  return milliseconds;
}

export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
