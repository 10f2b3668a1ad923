import { expect, test } from "vitest";
import { DAY_MS, firstRun, planRun } from "./recurrence.js";

const at = (text: string) => Date.parse(`2030-01-${text}Z`);
const daily = { frequency: "daily", retention_days: 7 };
const weekly = { frequency: "weekly", retention_days: 7 };

test("the first backup is at the next full hour of that number in UTC", () => {
  expect(firstRun(3, at("01T02:59:59.999"))).toBe(at("01T03:00"));
  expect(firstRun(3, at("01T03:00"))).toBe(at("02T03:00"));
  expect(firstRun(0, at("01T12:00"))).toBe(at("02T00:00"));
});

test("the next is a day or a week after the one before", () => {
  const due = at("01T03:00");
  expect(planRun(daily, due, due, due)).toEqual({ isDue: true, next: at("02T03:00") });
  expect(planRun(weekly, due, due, due)).toEqual({ isDue: true, next: at("08T03:00") });
});

test("however many were missed, one is made, and the rhythm stays", () => {
  expect(planRun(daily, at("01T03:00"), at("05T10:00"), 0)).toEqual({ isDue: true, next: at("06T03:00") });
  expect(planRun(weekly, at("01T03:00"), at("20T10:00"), 0)).toEqual({ isDue: true, next: at("22T03:00") });
});

test("a long advance skips the runs that would expire before its end", () => {
  const due = at("01T03:00");
  expect(planRun(daily, due, due, at("08T02:59"))).toMatchObject({ isDue: true });
  expect(planRun(daily, due, due, at("08T03:00"))).toEqual({ isDue: false, next: at("02T03:00") });
  expect(planRun(daily, due, due, at("31T12:00"))).toEqual({ isDue: false, next: at("25T03:00") });
  expect(planRun(weekly, due, due, at("31T12:00"))).toEqual({ isDue: false, next: at("29T03:00") });
});

test.each([-100, -1, 24, 1000, Number.MIN_SAFE_INTEGER])(
  "an hour that no day has (%d) comes once a day all the same",
  (hour) => {
    const now = Date.UTC(2030, 0, 1, 20);
    const first = firstRun(hour, now);
    expect(first).toBeGreaterThan(now);
    expect(first).toBeLessThanOrEqual(now + DAY_MS);
    expect(firstRun(hour, first)).toBe(first + DAY_MS);
  },
);
