import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { onAbort } from "./abort-signal.js";

const listeners = (signal: AbortSignal) => getEventListeners(signal, "abort").length;

describe("an abort", () => {
  it("reaches everybody who waits for it, and nobody who does not any more", () => {
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

  it("is listened for once, however many wait, and not at all when none does", () => {
    const { signal } = new AbortController();
    const forget = Array.from({ length: 1_000 }, () => onAbort(signal, () => {}));
    expect(listeners(signal)).toBe(1);
    for (const one of forget) one();
    expect(listeners(signal)).toBe(0);
    onAbort(signal, () => {});
    expect(listeners(signal)).toBe(1);
  });

  it("reaches others when one of them takes itself back, or comes, meanwhile", () => {
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
