import { AsyncLocalStorage } from "node:async_hooks";
import { setMaxListeners } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { CallLimits } from "cloudservices-sdk";

/*
 * The deadline of one operation of the engine on one resource. It is part of the asynchronous context rather than an
 * argument, so that it applies to every request and pause.
 */

interface Operation {
  /** Returns the milliseconds until the deadline; negative after it. */
  left(): number;
  /** How long it may still read after the deadline, in milliseconds. */
  readonly grace: number;
  /** Starts the timeout again from now. */
  restart(): void;
}

const current = new AsyncLocalStorage<Operation>();

/** How long an operation may read after its deadline, to learn the outcome of a request without a response. */
const GRACE = 30_000;

/** How long a request in flight may continue after the run is cancelled, in milliseconds. */
const IN_FLIGHT = 10_000;

/** Runs one operation, including all requests and waits, within a timeout in milliseconds. */
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

/** Restarts the timeout of the current operation, after a wait for another one. */
export const restartLimit = (): void => current.getStore()?.restart();

/** Returns the milliseconds until the deadline of the current operation; infinite without one. */
export const timeLeft = (): number => current.getStore()?.left() ?? Number.POSITIVE_INFINITY;

const timeToRead = (): number => timeLeft() + (current.getStore()?.grace ?? 0);

/** Ends the operations of a process early, when the user cancels the run. */
export class Cancellation {
  readonly #stop = new AbortController();
  readonly #signal = new AbortController();

  constructor() {
    // Each waiting operation has a listener; that is not a leak.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Aborts waits. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** The limits of each request: nothing is sent after the cancellation, and requests in flight may finish. */
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

  /** Pauses until the operation's deadline at most. The next step after the pause detects the deadline. */
  async sleep(milliseconds: number): Promise<void> {
    const time = Math.max(0, Math.min(milliseconds, timeToRead()));
    await setTimeout(time, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}
