import { expect, it } from "vitest";
import { nearest, nearMiss } from "./nearest.js";

const plans = ["db-starter-1", "db-standard-2", "db-pro-4"];

it("finds what a typing mistake was meant to be", () => {
  expect(nearest("db-starter1", plans)).toBe("db-starter-1");
  expect(nearest("DB-PRO-4", plans)).toBe("db-pro-4");
  expect(nearest("db-rpo-4", plans)).toBe("db-pro-4");
});

it("suggests nothing for what is nothing like it", () => {
  expect(nearest("enormous", plans)).toBeUndefined();
  expect(nearest("", plans)).toBeUndefined();
});

it.each([
  ["db-starter1", "db-starter-1"],
  ["DB-STARTER-1", "db-starter-1"],
  ["db-starter-2", undefined],
  ["db-huge-16", undefined],
])("takes %s for a misspelt %s", (word, meant) => {
  expect(nearMiss(word, ["db-starter-1", "db-pro-4"])).toBe(meant);
});
