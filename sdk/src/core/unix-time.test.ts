import { expect, it } from "vitest";
import { unixTime } from "./unix-time.js";

it.each([0, -1, 1_893_456_000, 1.5, 8.64e12])("%d is a time that a Date can hold", (seconds) => {
  expect(unixTime(seconds)).toBe(seconds);
  expect(new Date(seconds * 1_000).toISOString()).toMatch(/Z$/);
});

it.each([1e300, -1e300, 8.64e12 + 1, Number.NaN, Number.POSITIVE_INFINITY, "1893456000", null, undefined])(
  "%j is no time",
  (value) => {
    expect(unixTime(value)).toBeUndefined();
  },
);
