/** Time, as an argument: the pipeline never asks the machine for it. */
export interface Clock {
  /** Milliseconds that only ever grow. */
  now(): number;
  /** Milliseconds since 1970, for dates that come over the wire. */
  wall(): number;
  /** Runs something after so many milliseconds; the answer cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

/** The longest time that a timer of the platform can hold, milliseconds: 24.8 days. A longer one would fire at once. */
export const LONGEST = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  after(milliseconds, run) {
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      const next = Math.min(left, LONGEST);
      timer = setTimeout(next < left ? () => wait(left - next) : run, next);
    };
    wait(milliseconds);
    return () => clearTimeout(timer);
  },
};
