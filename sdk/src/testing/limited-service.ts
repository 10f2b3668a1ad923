import { RateLimitError } from "../core/errors.js";
import { Limiter, withRateLimit } from "../core/limiter.js";
import { retryAfter } from "../core/retry-after.js";
import { FakeClock } from "./fake-clock.js";
import { aRequest } from "./requests.js";

type Header = "seconds" | "date" | "none";

export interface Service {
  /** Requests a second; tests change it. */
  perSecond: number;
  windowMs: number;
  /** `window`: a number of requests from its first one on. `bucket`: refilled continuously. */
  readonly limit: "window" | "bucket";
  readonly header: Header;
  readonly responseMs: number;
  /** Returns a number from 0 up to 1, for the time that a response takes. */
  readonly random: () => number;
}

export const steady: Service = {
  ...{ perSecond: 50, windowMs: 1_000, limit: "window", header: "seconds", responseMs: 100 },
  random: () => 0.5,
};

/** Returns pseudo-random numbers that are the same in each run. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** A clock that advances with each reading and fires timers a little early, as a real machine does. */
export class CreepingClock extends FakeClock {
  #readings = 0;
  readonly #random = seeded(1);

  override now(): number {
    this.#readings += 1;
    return super.now() + this.#readings / 1_000;
  }

  override after(milliseconds: number, run: () => void): () => void {
    return super.after(Math.max(0, milliseconds - this.#random() / 20), run);
  }
}

/** A clock that fires timers up to 8 ms late, as a busy machine does. */
export class LateClock extends FakeClock {
  readonly #random = seeded(2);

  override after(milliseconds: number, run: () => void): () => void {
    return super.after(milliseconds + this.#random() * 8, run);
  }
}

/** A client with a limiter and a service with a limit, on a clock that is advanced at once. */
export function setUp(service: Service, clock = new FakeClock()) {
  const limiter = new Limiter(16, clock, () => 1);
  const count = { done: 0, refused: 0, requests: 0, early: 0 };
  const state = { began: Number.NEGATIVE_INFINITY, used: 0, tokens: service.perSecond, filledAt: 0 };
  let opensAt = 0;

  const isAllowed = (): boolean => {
    const { perSecond, windowMs, limit } = service;
    const most = (perSecond * windowMs) / 1_000;
    if (limit === "bucket") {
      const filled = state.tokens + ((clock.now() - state.filledAt) * perSecond) / 1_000;
      Object.assign(state, { tokens: Math.min(most, filled), filledAt: clock.now() });
      if (state.tokens < 1) return false;
      state.tokens -= 1;
      return true;
    }
    if (clock.now() - state.began >= windowMs) Object.assign(state, { began: clock.now(), used: 0 });
    if (state.used >= most) return false;
    state.used += 1;
    return true;
  };
  const nextRetryAfter = (): number | undefined => {
    if (service.header === "none") return undefined;
    const left =
      service.limit === "bucket" ? 1_000 / service.perSecond : state.began + service.windowMs - clock.now();
    if (service.header === "seconds")
      return retryAfter(String(Math.max(1, Math.ceil(left / 1_000))), clock.wall());
    const date = new Date(Math.ceil((clock.wall() + left) / 1_000) * 1_000);
    return retryAfter(date.toUTCString(), clock.wall());
  };
  const pass = (milliseconds: number) =>
    new Promise<void>((resolve) => void clock.after(milliseconds, resolve));

  const send = withRateLimit(async () => {
    count.requests += 1;
    // Sent before the end of an earlier Retry-After.
    if (clock.now() < opensAt) count.early += 1;
    const travel = service.responseMs * (0.75 + service.random() / 2);
    await pass(travel / 2);
    const allowed = isAllowed();
    const after = allowed ? undefined : nextRetryAfter();
    await pass(travel / 2);
    if (allowed) return;
    count.refused += 1;
    opensAt = Math.max(opensAt, clock.now() + (after ?? 0));
    throw new RateLimitError({ message: "m", outcome: "rejected", status: 429 }, after);
  }, limiter);

  let arrivals = 0;
  const call = async () => {
    const request = aRequest({ arrival: arrivals++, deadlineAt: Number.POSITIVE_INFINITY });
    for (;;) {
      const error = await send(request).catch((why: unknown) => why);
      if (error === undefined) break;
      if (!(error instanceof RateLimitError)) throw error;
    }
    count.done += 1;
  };
  /** Sends that many requests, `workers` at a time, and returns the time that it took. */
  const run = async (requests: number, workers: number): Promise<number> => {
    const began = clock.now();
    const until = count.done + requests;
    let left = requests;
    const work = async () => {
      while (left-- > 0) await call();
    };
    for (let worker = 0; worker < workers; worker += 1) void work();
    for (let [done, stalled] = [count.done, 0]; count.done < until; stalled += 10) {
      await clock.advance(10);
      if (stalled > 100_000) throw new Error(`Stalled with ${until - count.done} requests left.`);
      if (count.done > done) [done, stalled] = [count.done, 0];
    }
    return clock.now() - began;
  };
  return { clock, limiter, count, run };
}

export const idealOf = (requests: number, workers: number, { perSecond, responseMs }: Service) =>
  Math.max((requests / perSecond) * 1_000, (requests / Math.min(workers, 16)) * responseMs);
