import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { CallLimits } from "cloudservices-sdk";

/*
 * The bounds of everything that one operation of the engine on one resource does. They belong to the asynchronous
 * context and not to arguments, so that no request and no pause can be forgotten.
 */

interface Operation {
  /** Milliseconds until its deadline; negative after it. */
  left(): number;
  /** How much longer it may still read, in milliseconds. */
  readonly grace: number;
  /** Gives it its whole time limit again, from now on. */
  restart(): void;
}

const current = new AsyncLocalStorage<Operation>();

/** After its deadline an operation changes nothing more, but finds out what a request without a response has done. */
const GRACE = 30_000;

/** How long a request in flight may go on after the run was cancelled, in milliseconds. */
const IN_FLIGHT = 10_000;

/** Does the work of one operation, all requests and waiting included, within a time limit in milliseconds. */
export function withinLimit<T>(
  limit: number,
  clock: { now(): number },
  { grace = GRACE }: { grace?: number },
  work: () => T,
): T {
  let endsAt = clock.now() + limit;
  const restart = () => {
    endsAt = clock.now() + limit;
  };
  return current.run({ left: () => endsAt - clock.now(), grace, restart }, work);
}

/** Starts the time limit of the operation that asks anew: what it has waited for until now was not its own work. */
export const restartLimit = (): void => current.getStore()?.restart();

/** Milliseconds until the deadline of the operation that asks; without an operation, there is none. */
export const timeLeft = (): number => current.getStore()?.left() ?? Number.POSITIVE_INFINITY;

const timeToRead = (): number => timeLeft() + (current.getStore()?.grace ?? 0);

/** Ends the operations of a process early: what the engine asks for when the user cancels the run. */
export class Cancellation {
  readonly #stop = new AbortController();
  readonly #signal = new AbortController();

  constructor() {
    // One listener for each operation that waits is no leak.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Ends waiting. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** What bounds each request: nothing new is sent after the cancellation, and what is in flight may finish. */
  get bounds(): CallLimits {
    return {
      signal: this.#signal.signal,
      stop: this.#stop.signal,
      remaining: (method) => (method === "GET" ? timeToRead() : timeLeft()),
    };
  }

  cancel(): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    void setTimeout(IN_FLIGHT, undefined, { ref: false }).then(() => this.#signal.abort());
  }

  /** Pauses, and no longer than the operation may go on. What comes after the pause finds out that time is up. */
  async sleep(milliseconds: number): Promise<void> {
    const time = Math.max(0, Math.min(milliseconds, timeToRead()));
    await setTimeout(time, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
