import { describe, expect, it } from "vitest";
import {
  CreepingClock,
  idealOf,
  LateClock,
  type Service,
  seeded,
  setUp,
  steady,
} from "../testing/limited-service.js";
import { Pace } from "./pace.js";

describe("the limit of a service", () => {
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
    "is used up and seldom exceeded, and Retry-After is obeyed: %o",
    async ({ workers, ...differing }) => {
      const service = { ...steady, ...differing, random: seeded(workers) };
      const { run, count } = setUp(service);
      expect(await run(1_000, workers)).toBeLessThan(1.3 * idealOf(1_000, workers, service));
      expect(count.refused / count.requests).toBeLessThan(0.05);
      expect(count.early).toBe(0);
    },
  );

  it.each([50, 20, 10, 5])("of %d a second is nearly used up on a busy machine", async (perSecond) => {
    const ratios: number[] = [];
    for (const responseMs of [5, 20, 100])
      for (let seed = 1; seed <= 6; seed += 1) {
        const service = { ...steady, perSecond, responseMs, random: seeded(77 * seed) };
        const { run } = setUp(service, new LateClock());
        const requests = 20 * perSecond;
        ratios.push((await run(requests, 16)) / idealOf(requests, 16, service));
      }
    expect(ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length).toBeLessThan(1.1);
  });

  it.each([
    [50, 10],
    [10, 50],
    [50, 2],
    [2, 50],
  ])("is learned again when it changes from %d to %d a second", async (before, after) => {
    const service = { ...steady, perSecond: before };
    const { run, count } = setUp(service);
    await run(before * 20, 100);
    Object.assign(service, { perSecond: after });
    // The client learns the new limit in the first seconds.
    await run(Math.max(before, after) * 20, 100);
    Object.assign(count, { refused: 0, requests: 0 });
    expect(await run(1_000, 100)).toBeLessThan(1.3 * idealOf(1_000, 100, service));
    expect(count.refused / count.requests).toBeLessThan(0.05);
  });

  it("is forgotten soon after it ends", async () => {
    const service = { ...steady };
    const { run } = setUp(service);
    await run(500, 100);
    Object.assign(service, { perSecond: Number.POSITIVE_INFINITY });
    await run(2_000, 100);
    expect(await run(1_000, 100)).toBeLessThan(1.1 * idealOf(1_000, 100, service));
  });

  it("does not stall the queue when a timer fires early", async () => {
    const { run, count } = setUp({ ...steady, responseMs: 5 }, new CreepingClock());
    await run(1_000, 8);
    expect(count.done).toBeGreaterThanOrEqual(1_000);
  });

  it("is not assumed for a service without a limit", async () => {
    const service = { ...steady, perSecond: Number.POSITIVE_INFINITY };
    const { run, limiter } = setUp(service);
    expect(await run(1_600, 100)).toBeLessThanOrEqual(10_000);
    expect(limiter.perSecond).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("idle time", () => {
  it("does not slow the burst after it", async () => {
    const { clock, limiter, run } = setUp(steady);
    for (const idle of [0, 3_000, 60_000, 3_600_000]) {
      await clock.advance(idle);
      expect(await run(500, 100)).toBeLessThan(1.3 * idealOf(500, 100, steady));
      expect(limiter.perSecond).toBeGreaterThan(40);
    }
  });

  it("yields no rate when one of a few requests is refused", async () => {
    const { clock, limiter, run } = setUp(steady);
    for (let minute = 0; minute < 5; minute += 1) {
      await run(1, 1);
      await clock.advance(60_000);
    }
    // Another client of the account has used up the limit.
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
  it("is not learned from a refusal without accepted requests or with little demand", () => {
    const pace = new Pace();
    expect(pace.recordRateLimited(0, 1_000, 100, 16)).toBe(false);
    for (let passed = 0; passed < 10; passed += 1) pace.recordAccepted(passed);
    expect(pace.recordRateLimited(10, 1_000, 5, 16)).toBe(false);
    expect(pace.perSecond).toBe(Number.POSITIVE_INFINITY);
    expect(pace.recordRateLimited(10, 1_000, 6, 16)).toBe(true);
    expect(pace.perSecond).toBe(9.7);
  });

  it("is measured over the Retry-After, less the second of its rounding", () => {
    const pace = new Pace();
    for (let passed = 0; passed < 100; passed += 1) pace.recordAccepted(passed);
    pace.recordRateLimited(100, 11_000, 16, 16);
    expect(pace.perSecond).toBe(9.7);
  });

  it("is held for 30 seconds, and for 60 each time the same limit shows again", () => {
    const pace = new Pace();
    let now = 0;
    const second = () => {
      for (let passed = 0; passed < 50; passed += 1) {
        pace.recordSent(now + passed);
        pace.recordAccepted(now + passed);
      }
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
    expect(kept.map((seconds) => Math.round(seconds / 10) * 10)).toEqual([30, 60, 60, 60, 60]);
  });
});
