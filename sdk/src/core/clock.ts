/** Time, as an argument: the pipeline never asks the machine for it. */
export interface Clock {
  /** Milliseconds that only ever grow. */
  now(): number;
  /** Milliseconds since 1970, for dates that come over the wire. */
  wall(): number;
  /** Runs something after so many milliseconds; the answer cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};
