import { expect, it } from "vitest";
import { isMasked, isTruncated } from "./masks.js";

const stored = "postgresql://app:s3cr3t-pw@db.test:5432/app?sslmode=require";
const withPassword = (password: string) => stored.replace("s3cr3t-pw", password);

it.each([
  "********",
  "s3c***",
  "REDACTED",
  "[redacted]",
  "<hidden>",
  "s3cr…",
  ...[
    "***",
    "%2A%2A%2A",
    "%E2%80%A2%E2%80%A2%E2%80%A2",
    "xxxxx",
    "REDACTED",
    "<PASSWORD>",
    "s3c...",
    "(hidden)",
  ].map(withPassword),
])("%s is a mask", (value) => {
  expect(isMasked(value)).toBe(true);
});

it.each([
  stored,
  withPassword("100%"),
  withPassword("secret"),
  "secret",
  "postgresql://db.test/app",
  5,
  undefined,
])("%s is not a mask", (value) => {
  expect(isMasked(value)).toBe(false);
});

it("a prefix of the stored value, or a URL without its password, is truncated", () => {
  for (const less of [
    stored.slice(0, 30),
    stored.replace(":s3cr3t-pw@", "@"),
    stored.replace("app:s3cr3t-pw@", ""),
  ])
    expect(isTruncated(less, stored)).toBe(true);
  for (const as of [stored, withPassword("rotated"), stored.replace("db.test", "other.test")])
    expect(isTruncated(as, stored)).toBe(false);
  expect(isTruncated(stored, "postgresql://db.test/app")).toBe(false);
});
