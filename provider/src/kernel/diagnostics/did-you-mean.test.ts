import { expect, it } from "vitest";
import { didYouMean, nearMiss } from "./did-you-mean.js";

const plans = ["db-starter-1", "db-standard-2", "db-pro-4"];

it("finds what a typing mistake was meant to be", () => {
  expect(didYouMean("db-starter1", plans)).toBe("db-starter-1");
  expect(didYouMean("DB-PRO-4", plans)).toBe("db-pro-4");
  expect(didYouMean("db-rpo-4", plans)).toBe("db-pro-4");
});

it("suggests nothing for what is nothing like it", () => {
  expect(didYouMean("enormous", plans)).toBeUndefined();
  expect(didYouMean("", plans)).toBeUndefined();
});

it.each([
  ["db-starter1", "db-starter-1"],
  ["DB-STARTER-1", "db-starter-1"],
  ["db-starter-2", undefined],
  ["db-huge-16", undefined],
])("takes %s for a misspelt %s", (word, meant) => {
  expect(nearMiss(word, ["db-starter-1", "db-pro-4"])).toBe(meant);
});
