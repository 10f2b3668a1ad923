import type { Clock } from "../time.js";

/** The time of everybody, in which whole engines run. */
export class RealTime implements Clock {
  get now(): number {
    return Date.now();
  }

  govern(): void {
    // The service goes by the same clock.
  }

  ignoreOne(): () => void {
    return () => undefined;
  }

  /** Real time does not wait for people. */
  async pause(): Promise<void> {}

  stop(): void {
    // It goes on.
  }
}
