import { describe, expect, it } from "vitest";
import { FakeClock } from "../testing/fake-clock.js";
import { aRequest } from "../testing/requests.js";
import { RateLimitError } from "./errors.js";
import { Limiter, withRateLimit } from "./limiter.js";
import { Pace } from "./pace.js";
import { retryAfter } from "./retry-after.js";

type Header = "seconds" | "date" | "none";

interface Service {
  /** Requests a second; a test may change it. */
  perSecond: number;
  windowMs: number;
  /** `window`: so many from its first request on. `bucket`: refilled all the time. */
  readonly limit: "window" | "bucket";
  readonly header: Header;
  readonly responseMs: number;
  /** From 0 up to 1, for the time that a response takes. */
  readonly random: () => number;
}

const steady: Service = {
  ...{ perSecond: 50, windowMs: 1_000, limit: "window", header: "seconds", responseMs: 100 },
  random: () => 0.5,
};

/** Numbers that look random and are the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** Time passes between two looks at it, and timers fire a little early, as on a real machine. */
class CreepingClock extends FakeClock {
  #looks = 0;
  readonly #random = seeded(1);

  override now(): number {
    this.#looks += 1;
    return super.now() + this.#looks / 1_000;
  }

  override after(milliseconds: number, run: () => void): () => void {
    return super.after(Math.max(0, milliseconds - this.#random() / 20), run);
  }
}

/** A client with a limiter, and a service with a limit; the time passes as fast as it is waited for. */
function setUp(service: Service, clock = new FakeClock()) {
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
  const asked = (): number | undefined => {
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
    // Sent before the time that an earlier refusal has asked for.
    if (clock.now() < opensAt) count.early += 1;
    const travel = service.responseMs * (0.75 + service.random() / 2);
    await pass(travel / 2);
    const allowed = isAllowed();
    const after = allowed ? undefined : asked();
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
  /** Sends so many, `workers` at a time, and returns how long that took. */
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

const idealOf = (requests: number, workers: number, { perSecond, responseMs }: Service) =>
  Math.max((requests / perSecond) * 1_000, (requests / Math.min(workers, 16)) * responseMs);

describe("a limit", () => {
  type Case = Partial<Service> & { workers: number };
  const cases: Case[] = [
    { perSecond: 10, windowMs: 10_000, workers: 100 },
    { perSecond: 2, windowMs: 60_000, workers: 100 },
  ];
  for (const header of ["seconds", "date", "none"] as const)
    for (const limit of ["window", "bucket"] as const) {
      for (const workers of [8, 100])
        for (const responseMs of [5, 100, 250]) cases.push({ header, limit, workers, responseMs });
      for (const perSecond of [10, 2]) cases.push({ header, limit, workers: 100, perSecond });
    }

  it.each(cases)(
    "is used up and seldom exceeded, and Retry-After is kept: %o",
    async ({ workers, ...differing }) => {
      const service = { ...steady, ...differing, random: seeded(workers) };
      const { run, count } = setUp(service);
      expect(await run(1_000, workers)).toBeLessThan(1.3 * idealOf(1_000, workers, service));
      expect(count.refused / count.requests).toBeLessThan(0.05);
      expect(count.early).toBe(0);
    },
  );

  it.each([
    [50, 10],
    [10, 50],
    [50, 2],
    [2, 50],
  ])("that changes from %d a second to %d is learned", async (before, after) => {
    const service = { ...steady, perSecond: before };
    const { run, count } = setUp(service);
    await run(before * 20, 100);
    Object.assign(service, { perSecond: after });
    // The first seconds are for learning.
    await run(Math.max(before, after) * 20, 100);
    Object.assign(count, { refused: 0, requests: 0 });
    expect(await run(1_000, 100)).toBeLessThan(1.3 * idealOf(1_000, 100, service));
    expect(count.refused / count.requests).toBeLessThan(0.05);
  });

  it("that ends is soon forgotten", async () => {
    const service = { ...steady };
    const { run } = setUp(service);
    await run(500, 100);
    Object.assign(service, { perSecond: Number.POSITIVE_INFINITY });
    await run(2_000, 100);
    expect(await run(1_000, 100)).toBeLessThan(1.1 * idealOf(1_000, 100, service));
  });

  it("never stalls the queue when a timer fires a moment early", async () => {
    const { run, count } = setUp({ ...steady, responseMs: 5 }, new CreepingClock());
    await run(1_000, 8);
    expect(count.done).toBeGreaterThanOrEqual(1_000);
  });

  it("of a service that has none slows nothing down", async () => {
    const service = { ...steady, perSecond: Number.POSITIVE_INFINITY };
    const { run, limiter } = setUp(service);
    expect(await run(1_600, 100)).toBeLessThanOrEqual(10_000);
    expect(limiter.perSecond).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("idle time", () => {
  it("before a burst does not make the pace slower", async () => {
    const { clock, limiter, run } = setUp(steady);
    for (const idle of [0, 3_000, 60_000, 3_600_000]) {
      await clock.advance(idle);
      expect(await run(500, 100)).toBeLessThan(1.3 * idealOf(500, 100, steady));
      expect(limiter.perSecond).toBeGreaterThan(40);
    }
  });

  it("between single requests teaches nothing when one of them is refused", async () => {
    const { clock, limiter, run } = setUp(steady);
    for (let minute = 0; minute < 5; minute += 1) {
      await run(1, 1);
      await clock.advance(60_000);
    }
    // Another client of the account has used the limit up.
    limiter.recordRateLimited(1_000);
    expect(limiter.perSecond).toBe(Number.POSITIVE_INFINITY);
    await clock.advance(60_000);
    expect(await run(500, 100)).toBeLessThan(1.3 * idealOf(500, 100, steady));
  });

  it("leaves no timer behind", async () => {
    const { clock, limiter, run } = setUp(steady);
    await run(200, 100);
    limiter.recordRateLimited(30_000);
    expect(clock.timers).toBe(0);
  });
});

describe("the pace", () => {
  it("is not learned from a refusal before which nothing passed, nor from a small demand", () => {
    const pace = new Pace();
    expect(pace.recordRateLimited(0, 1_000, 100, 16)).toBe(false);
    for (let passed = 0; passed < 10; passed += 1) pace.recordAccepted(passed);
    expect(pace.recordRateLimited(10, 1_000, 5, 16)).toBe(false);
    expect(pace.perSecond).toBe(Number.POSITIVE_INFINITY);
    expect(pace.recordRateLimited(10, 1_000, 6, 16)).toBe(true);
    expect(pace.perSecond).toBe(9.5);
  });

  it("is measured over as long as the service asks to wait, of which a second may be rounded up", () => {
    const pace = new Pace();
    for (let passed = 0; passed < 100; passed += 1) pace.recordAccepted(passed);
    pace.recordRateLimited(100, 11_000, 16, 16);
    expect(pace.perSecond).toBe(9.5);
  });

  it("is kept ten seconds, and twice as long each time that a faster one shows the same limit", () => {
    const pace = new Pace();
    let now = 0;
    const second = () => {
      for (let passed = 0; passed < 50; passed += 1) pace.recordAccepted(now + passed);
      now += 1_000;
    };
    const kept: number[] = [];
    for (let refusals = 0; refusals < 5; refusals += 1) {
      second();
      pace.recordRateLimited(now - 900, 1_000, 100, 16);
      const rate = pace.perSecond;
      const refusedAt = now;
      while (pace.perSecond === rate) second();
      kept.push(Math.floor((now - refusedAt) / 1_000));
    }
    expect(kept.map((seconds) => Math.round(seconds / 10) * 10)).toEqual([10, 20, 40, 60, 60]);
  });
});
