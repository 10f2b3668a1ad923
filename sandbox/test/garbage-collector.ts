import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { onTestFinished } from "vitest";

/** Collects garbage repeatedly for the rest of the test, to find objects that only a pending wait keeps alive. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("this Node exposes no garbage collection");
  const timer = setInterval(() => collect(), 50);
  onTestFinished(() => clearInterval(timer));
}
