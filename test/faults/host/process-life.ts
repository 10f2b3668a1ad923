import type { Timer, VirtualTime } from "../time.js";

/** Tracks what ends with a simulated provider process. */
export class ProcessLife {
  ended = false;
  inFlight = 0;
  readonly #endings: (() => void)[] = [];
  readonly timers = new Set<Timer>();
  readonly servers = new Set<unknown>();

  constructor(readonly time: VirtualTime) {}

  atEnd(ending: () => void): void {
    if (this.ended) ending();
    else this.#endings.push(ending);
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    for (const timer of this.timers) timer.cancel(timer.id);
    for (const ending of this.#endings.splice(0)) ending();
  }
}
