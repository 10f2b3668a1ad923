/** What a clock needs to go on where it stood. */
export interface ClockSetting {
  /** Virtual time minus real time. */
  readonly offset: number;
  readonly frozenAt?: number | undefined;
}

/** The sandbox's own time: runs beside real time until it is frozen or moved. Milliseconds since 1970. */
export class Clock {
  readonly #realNow: () => number;
  #offset = 0;
  #frozenAt: number | undefined;
  #heading: number | undefined;
  /** Called after time was frozen, resumed or moved. */
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

  /** The instant to which time is being moved in steps; without such a move, the present. */
  get destination(): number {
    return Math.max(this.#heading ?? 0, this.now());
  }

  /** For as long as `steps` takes, time is on its way to `at`. */
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

  /** @throws RangeError when `at` is no time. */
  freeze(at: number = this.now()): void {
    this.#frozenAt = requireInstant(at);
    this.onChange(this.setting);
  }

  /** Lets time run on from where it stands. */
  resume(): void {
    if (this.#frozenAt === undefined) return;
    this.#offset = this.#frozenAt - this.#realNow();
    this.#frozenAt = undefined;
    this.onChange(this.setting);
  }

  /** Back to real time. */
  reset(): void {
    this.#offset = 0;
    this.#frozenAt = undefined;
    this.onChange(this.setting);
  }

  /** Moves time to `at`; a clock that runs keeps running from there. */
  set(at: number): void {
    if (this.#frozenAt === undefined) this.#offset = at - this.#realNow();
    else this.#frozenAt = at;
    this.onChange(this.setting);
  }
}

/** Whether a date can hold it; no answer could tell any other time. */
export const isInstant = (milliseconds: number): boolean => !Number.isNaN(new Date(milliseconds).getTime());

/** ECMAScript, "Time Values and Time Range". */
const LAST_INSTANT = 8.64e15;

/** The nearest time that a date can hold. */
export const nearestInstant = (milliseconds: number): number =>
  Math.min(Math.max(milliseconds, -LAST_INSTANT), LAST_INSTANT);

/** @throws RangeError when a date cannot hold it. */
export function requireInstant(milliseconds: number): number {
  if (!isInstant(milliseconds)) throw new RangeError(`not a time: ${milliseconds} ms since 1970`);
  return milliseconds;
}

export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
