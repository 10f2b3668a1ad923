import { describe, expect, it } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { FakeClock, flush } from "../testing/fake-clock.js";
import { aRequest } from "../testing/requests.js";
import { AbortError, RateLimitError, ServerError, TimeoutError } from "./errors.js";
import { Limiter, withRateLimit } from "./limiter.js";

const refusal = (retryAfter?: number) =>
  new RateLimitError({ message: "m", outcome: "rejected", status: 429 }, retryAfter);
const limiterOf = (most: number, clock: FakeClock) => new Limiter(most, clock, () => 1);

describe("the limiter", () => {
  it("limits the requests in flight and starts the others in order of arrival", async () => {
    const limiter = limiterOf(2, new FakeClock());
    const entered: number[] = [];
    const enter = async (arrival: number) => {
      await limiter.acquire(aRequest({ arrival }));
      entered.push(arrival);
    };
    for (let arrival = 1; arrival <= 5; arrival += 1) void enter(arrival);
    await flush();
    expect(entered).toEqual([1, 2]);
    limiter.release();
    await flush();
    expect(entered).toEqual([1, 2, 3]);
    limiter.release();
    limiter.release();
    await flush();
    expect(entered).toEqual([1, 2, 3, 4, 5]);
  });

  it("starts a retry before requests that arrived later", async () => {
    const limiter = limiterOf(1, new FakeClock());
    const entered: number[] = [];
    const enter = async (arrival: number) => {
      await limiter.acquire(aRequest({ arrival }));
      entered.push(arrival);
    };
    for (const arrival of [3, 5, 7, 1, 6, 2]) void enter(arrival);
    await flush();
    for (let left = 0; left < 5; left += 1) {
      limiter.release();
      await flush();
    }
    expect(entered).toEqual([3, 1, 2, 5, 6, 7]);
  });

  it("halves once for all requests in flight together, and waits for Retry-After", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf(16, clock);
    for (let burst = 0; burst < 16; burst += 1) limiter.recordRateLimited(2_000);
    expect(limiter.concurrency).toBe(8);
    expect(limiter.pauseLeft).toBe(2_000);
    let entered = false;
    void limiter.acquire(aRequest({ deadlineAt: 600_000 })).then(() => {
      entered = true;
    });
    await clock.advance(1_999);
    expect(entered).toBe(false);
    await clock.advance(1);
    expect(entered).toBe(true);
  });

  it("backs off up to a maximum when a 429 has no Retry-After", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf(4, clock);
    const pauses: number[] = [];
    for (let refusals = 0; refusals < 12; refusals += 1) {
      limiter.recordRateLimited(undefined);
      pauses.push(limiter.pauseLeft);
      await clock.advance(limiter.pauseLeft);
    }
    expect(pauses.slice(0, 4)).toEqual([250, 500, 1_000, 2_000]);
    expect(Math.max(...pauses)).toBe(30_000);
    expect(limiter.concurrency).toBe(1);
  });

  it("backs off on Retry-After: 0", () => {
    const limiter = limiterOf(4, new FakeClock());
    limiter.recordRateLimited(0);
    expect(limiter.pauseLeft).toBe(250);
  });

  it("grows by one a second without a 429, up to maxConcurrency", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf(8, clock);
    limiter.recordRateLimited(100);
    await clock.advance(100);
    limiter.recordRateLimited(100);
    await clock.advance(999);
    limiter.recordAccepted();
    expect(limiter.concurrency).toBe(2);
    const widths: number[] = [];
    for (let seconds = 0; seconds < 8; seconds += 1) {
      await clock.advance(1_000);
      for (let passed = 0; passed < 100; passed += 1) limiter.recordAccepted();
      widths.push(limiter.concurrency);
    }
    expect(widths).toEqual([3, 4, 5, 6, 7, 8, 8, 8]);
  });

  it("drops aborted and expired requests, and leaves no timer behind", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf(1, clock);
    await limiter.acquire(aRequest());
    const caller = new AbortController();
    const aborted = errorOf(limiter.acquire(aRequest({ arrival: 2, signal: caller.signal })), AbortError);
    const late = errorOf(
      limiter.acquire(aRequest({ arrival: 3, deadline: 50, deadlineAt: 50 })),
      TimeoutError,
    );
    caller.abort("changed my mind");
    await clock.advance(50);
    expect(await aborted).toMatchObject({ outcome: "notSent", cause: "changed my mind" });
    expect(await late).toMatchObject({ outcome: "notSent" });
    limiter.release();
    await limiter.acquire(aRequest({ arrival: 4 }));
    expect(clock.timers).toBe(0);
  });

  it("does not queue a request that is aborted already", async () => {
    const limiter = limiterOf(1, new FakeClock());
    const error = await errorOf(limiter.acquire(aRequest({ signal: AbortSignal.abort("no") })), AbortError);
    expect(error.outcome).toBe("notSent");
  });
});

describe("withRateLimit", () => {
  it("counts a response as accepted, a 429 as refused, and a missing response as neither", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf(4, clock);
    const after = async (step: () => Promise<unknown>) => {
      await withRateLimit(step, limiter)(aRequest()).catch(() => {});
      return limiter.accepted;
    };
    expect(await after(async () => "fine")).toBe(1);
    expect(
      await after(() => Promise.reject(new ServerError({ message: "m", outcome: "ambiguous", status: 500 }))),
    ).toBe(2);
    expect(await after(() => Promise.reject(new TimeoutError({ message: "m", outcome: "ambiguous" })))).toBe(
      2,
    );
    expect(limiter.pauseLeft).toBe(0);
    expect(await after(() => Promise.reject(refusal(700)))).toBe(2);
    expect(limiter.pauseLeft).toBe(700);
  });
});

describe("a thousand calls at once, against a service that allows fifty a second", () => {
  it("all succeed in order of arrival, with few refusals", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf(16, clock);
    let tokens = 50;
    let filledAt = 0;
    let refused = 0;
    const served: number[] = [];
    const call = withRateLimit(async ({ arrival }) => {
      await new Promise<void>((resolve) => {
        clock.after(5, resolve);
      });
      tokens = Math.min(50, tokens + ((clock.now() - filledAt) / 1000) * 50);
      filledAt = clock.now();
      if (tokens < 1) {
        refused += 1;
        throw refusal();
      }
      tokens -= 1;
      served.push(arrival);
      return arrival;
    }, limiter);
    const persistent = async (arrival: number): Promise<number> => {
      for (;;) {
        try {
          return await call(aRequest({ arrival, deadlineAt: 10_000_000 }));
        } catch (error) {
          if (!(error instanceof RateLimitError)) throw error;
        }
      }
    };
    const all = Promise.all(Array.from({ length: 1000 }, (_, at) => persistent(at)));
    await clock.advance(60_000);
    expect(await all).toHaveLength(1000);
    expect(refused).toBeLessThan(150);
    // Requests in flight together may overtake each other, but none falls far behind.
    const furthest = served.map((arrival, at) => Math.abs(arrival - at));
    expect(Math.max(...furthest)).toBeLessThanOrEqual(16);
  });
});
