import { describe, expect, it } from "vitest";
import { foundBy } from "../testing.js";

const response = (status: number, retryAfter: number) =>
  ({
    method: "GET",
    target: "/databases/db_1",
    at: 1_000,
    endedAt: 1_000,
    sent: { status, headers: {} },
    retryAfter,
  }) as const;
const next = (at: number, more = {}) =>
  ({ method: "GET", target: "/databases/db_1", at, endedAt: at, ...more }) as const;
const other = (at: number, more = {}) => next(at, { target: "/webhooks", ...more });
const judged = (...exchanges: readonly ReturnType<typeof next>[]) =>
  foundBy("retry-after", { phases: [{ exchanges }] });

describe("retry-after", () => {
  it("applies to the same request after a 503", () => {
    expect(judged(response(503, 5_000), next(6_000))).toEqual([]);
    expect(judged(response(503, 5_000), next(5_900))).toEqual([
      "a request came 4900 ms after a response with a Retry-After of 5000 ms",
    ]);
  });

  it("applies to every request of the process after a 429", () => {
    expect(judged(response(429, 5_000), other(3_000))).toHaveLength(1);
    expect(judged(response(429, 5_000), other(3_000, { process: 2 }))).toEqual([]);
    expect(judged(response(503, 5_000), other(3_000))).toEqual([]);
  });

  it("does not apply to requests in flight", () => {
    expect(judged(response(429, 5_000), other(1_000))).toEqual([]);
    expect(judged(response(429, 5_000), next(1_000))).toHaveLength(1);
  });

  it("is capped at a minute", () => {
    expect(judged(response(429, 86_400_000), next(61_000))).toEqual([]);
    expect(judged(response(429, 86_400_000), next(31_000))).toHaveLength(1);
  });
});
