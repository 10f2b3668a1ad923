import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { omitPromiseTraces } from "./promise-traces.js";

const before = Error.prepareStackTrace;
const mapped: typeof before = (error, sites) => `${error} at ${sites[0]?.getFunctionName()}, mapped`;

beforeEach(() => {
  Error.prepareStackTrace = mapped;
});
afterEach(() => {
  Error.prepareStackTrace = before;
  vi.unstubAllEnvs();
});

/** Named like the function of Pulumi's library. */
function debuggablePromise(): string | undefined {
  return new Error("a promise").stack;
}

function declare(): string | undefined {
  return new Error("a mistake").stack;
}

it("the traces of Pulumi's promises are omitted, and no others", async () => {
  omitPromiseTraces();
  omitPromiseTraces();
  expect(debuggablePromise()).toBe("Error: a promise");
  expect(declare()).toBe("Error: a mistake at declare, mapped");
  await Promise.resolve();
  expect(Error.prepareStackTrace).toBe(mapped);
  expect(debuggablePromise()).toBe("Error: a promise at debuggablePromise, mapped");
});

it("a function that the program sets meanwhile stays", async () => {
  const other: typeof before = () => "other";
  omitPromiseTraces();
  Error.prepareStackTrace = other;
  await Promise.resolve();
  expect(Error.prepareStackTrace).toBe(other);
});

it("they stay where the program looks for leaked promises", () => {
  vi.stubEnv("PULUMI_DEBUG_PROMISE_LEAKS", "1");
  omitPromiseTraces();
  expect(debuggablePromise()).toBe("Error: a promise at debuggablePromise, mapped");
});

it("nothing changes where no function formats traces", () => {
  Reflect.set(Error, "prepareStackTrace", undefined);
  omitPromiseTraces();
  expect(Error.prepareStackTrace).toBeUndefined();
});
