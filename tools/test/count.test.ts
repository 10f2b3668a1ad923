import { expect, it } from "vitest";
import { countOf, lineOf } from "./count.mjs";

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

it("counts the tests of all files", () => {
  const report = { testResults: [file("passed", "passed", "passed"), file("failed", "failed", "passed")] };
  expect(lineOf(countOf(report, 1))).toBe("3 passed, 1 failed");
});

it("counts tests as skipped, whatever the reason", () => {
  const report = { testResults: [file("passed", "passed", "skipped", "todo", "pending")] };
  expect(lineOf(countOf(report, 0))).toBe("1 passed, 0 failed, 3 skipped");
});

it("counts a file that could not be loaded as a failure", () => {
  expect(countOf({ testResults: [file("failed"), file("passed", "passed")] }, 1)).toMatchObject({
    failed: 1,
    passed: 1,
  });
});

it("counts a failed hook of a file whose tests passed", () => {
  expect(countOf({ testResults: [file("failed", "passed")] }, 1)).toMatchObject({ failed: 1, passed: 1 });
});

it("counts a failure when the run failed without a failed test", () => {
  expect(countOf({ testResults: [file("passed", "passed")] }, 1)).toMatchObject({ failed: 1 });
  expect(countOf({ testResults: [] }, 1)).toMatchObject({ passed: 0, failed: 1 });
});
