import type { Clock } from "../time.js";

/** The real clock, for runs on the real engine. */
export class RealTime implements Clock {
  get now(): number {
    return Date.now();
  }

  control(): void {
    // The service uses the real clock already.
  }

  excludeOne(): () => void {
    return () => undefined;
  }

  /** Does not wait, to save real time. */
  async pause(): Promise<void> {}

  stop(): void {
    // The real clock cannot stop.
  }
}
