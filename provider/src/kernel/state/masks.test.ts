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
])("%s stands for a secret", (value) => {
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
])("%s stands for itself", (value) => {
  expect(isMasked(value)).toBe(false);
});

it("says less than what is stored, where it is a beginning of it or has no password", () => {
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
