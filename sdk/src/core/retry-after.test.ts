import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LONGEST_RETRY_AFTER, retryAfter } from "./retry-after.js";

const now = Date.UTC(2030, 0, 1, 12, 0, 0);

describe("Retry-After", () => {
  it.each([
    ["3", 3_000],
    ["0", 0],
    ["0.5", 500],
    [" 7 ", 7_000],
    [new Date(now + 5_000).toUTCString(), 5_000],
    [new Date(now - 5_000).toUTCString(), 0],
  ])("%s means %i ms", (header, milliseconds) => {
    expect(retryAfter(header, now)).toBe(milliseconds);
  });

  it.each(["86400", "99999999999999999999", new Date(now + 86_400_000).toUTCString()])(
    "%s is absurd, and capped",
    (header) => {
      expect(retryAfter(header, now)).toBe(LONGEST_RETRY_AFTER);
    },
  );

  it.each([undefined, "", "soon", "-5", "NaN", "1e3", "2030"])(
    "%s is no delay or a plain one, never a negative",
    (header) => {
      const delay = retryAfter(header, now);
      expect(delay === undefined || delay >= 0).toBe(true);
    },
  );

  it("is never negative, infinite or beyond the cap, whatever the header says", () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        const delay = retryAfter(header, now);
        expect(delay === undefined || (delay >= 0 && delay <= LONGEST_RETRY_AFTER)).toBe(true);
      }),
    );
  });
});
