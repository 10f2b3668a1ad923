import { expect, it } from "vitest";
import { milliseconds, timeoutsOf } from "./timeouts.js";

it("parses the engine's syntax of durations", () => {
  expect(milliseconds("90s")).toBe(90_000);
  expect(milliseconds("1h30m")).toBe(5_400_000);
  expect(milliseconds("1.5m")).toBe(90_000);
  expect(milliseconds("250ms")).toBe(250);
});

it("rejects invalid durations", () => {
  for (const wrong of ["", "10", "m", "10 m", "10x", "-5m"]) expect(milliseconds(wrong)).toBeUndefined();
});

it("limits each operation by its own timeout", () => {
  const values = { create: "2m", read: "3s" };
  const limits = { create: 5, update: 6, delete: 7 };
  expect(timeoutsOf(values, limits).create).toBe(120_000);
  expect(timeoutsOf(values, limits).read).toBe(3_000);
  expect(timeoutsOf(values, limits).delete).toBe(7);
  expect(timeoutsOf({}, limits).read).toBe(600_000);
});

it("returns a finite number for every duration", () => {
  expect(milliseconds("40000h")).toBe(144_000_000_000);
  expect(milliseconds(`${"9".repeat(400)}h`)).toBe(Number.MAX_SAFE_INTEGER);
});
