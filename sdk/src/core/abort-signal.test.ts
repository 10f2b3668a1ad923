import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { onAbort } from "./abort-signal.js";

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("onAbort", () => {
  it("calls every callback that is still registered", () => {
    const caller = new AbortController();
    const reached: string[] = [];
    onAbort(caller.signal, () => reached.push("a"));
    const forget = onAbort(caller.signal, () => reached.push("b"));
    onAbort(caller.signal, () => reached.push("c"));
    forget();
    caller.abort();
    expect(reached).toEqual(["a", "c"]);
    expect(listeners(caller.signal)).toBe(0);
  });

  it("adds one listener for any number of callbacks, and removes it after the last", () => {
    const { signal } = new AbortController();
    const forget = Array.from({ length: 1_000 }, () => onAbort(signal, () => {}));
    expect(listeners(signal)).toBe(1);
    for (const one of forget) one();
    expect(listeners(signal)).toBe(0);
    onAbort(signal, () => {});
    expect(listeners(signal)).toBe(1);
  });

  it("calls the other callbacks when one registers or unregisters during the abort", () => {
    const caller = new AbortController();
    const reached: string[] = [];
    const forgetFirst = onAbort(caller.signal, () => {
      forgetFirst();
      reached.push("first");
    });
    onAbort(caller.signal, () => reached.push("second"));
    caller.abort();
    expect(reached).toEqual(["first", "second"]);
  });
});
