/** The source of time, which tests replace. */
export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Milliseconds since 1970, to compare with dates of the service. */
  wall(): number;
  /** Calls `run` after that time. Returns a function that cancels it. */
  after(milliseconds: number, run: () => void): () => void;
}

/** The longest platform timer, milliseconds: 24.8 days. A longer one would fire at once. */
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
