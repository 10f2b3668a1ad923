/** The sandbox's own time: runs beside real time until it is frozen or moved. Milliseconds since 1970. */
export class Clock {
  readonly #realNow: () => number;
  #offset = 0;
  #frozenAt: number | undefined;

  constructor(realNow: () => number) {
    this.#realNow = realNow;
  }

  now(): number {
    return this.#frozenAt ?? this.#realNow() + this.#offset;
  }

  get frozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  freeze(at: number = this.now()): void {
    this.#frozenAt = at;
  }

  /** Lets time run on from where it stands. */
  resume(): void {
    if (this.#frozenAt === undefined) return;
    this.#offset = this.#frozenAt - this.#realNow();
    this.#frozenAt = undefined;
  }

  /** Back to real time. */
  reset(): void {
    this.#offset = 0;
    this.#frozenAt = undefined;
  }

  /** Moves time to `at`; a clock that runs keeps running from there. */
  set(at: number): void {
    if (this.#frozenAt === undefined) this.#offset = at - this.#realNow();
    else this.#frozenAt = at;
  }
}

export function timestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
