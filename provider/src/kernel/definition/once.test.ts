import { expect, it } from "vitest";
import { once } from "./once.js";

it("works once for each object, also for a result that is undefined", () => {
  const asked: object[] = [];
  const work = once((key: { value?: number }) => {
    asked.push(key);
    return key.value;
  });
  const [one, none] = [{ value: 1 }, {}];
  expect([work(one), work(one), work(none), work(none), work({ value: 1 })]).toEqual([
    1,
    1,
    undefined,
    undefined,
    1,
  ]);
  expect(asked).toEqual([one, none, { value: 1 }]);
});
