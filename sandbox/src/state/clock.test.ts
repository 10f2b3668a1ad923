import { expect, test } from "vitest";
import { Clock } from "./clock.js";

test("a frozen clock stands, and runs on from there", () => {
  let real = 1000;
  const clock = new Clock(() => real);
  clock.freeze(5000);
  real += 100;
  expect(clock.now()).toBe(5000);
  clock.set(6000);
  clock.resume();
  real += 100;
  expect(clock.now()).toBe(6100);
});

test("a moved clock keeps running", () => {
  let real = 1000;
  const clock = new Clock(() => real);
  clock.set(9000);
  real += 7;
  expect(clock.now()).toBe(9007);
  clock.reset();
  expect(clock.now()).toBe(1007);
});

test("the saved state of a clock is enough to continue after a restart", () => {
  let real = 1000;
  const clock = new Clock(() => real);
  const restarted = new Clock(() => real);
  clock.onChange = (setting) => restarted.restore(setting);
  clock.set(9000);
  real += 50;
  expect(restarted.now()).toBe(9050);
  clock.freeze();
  real += 50;
  expect(restarted.now()).toBe(9050);
});
