import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { onTestFinished } from "vitest";

/** For the rest of the test, collects garbage again and again: what only a wait should keep alive is put to the test. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("this Node cannot be told to collect garbage");
  const timer = setInterval(() => collect(), 50);
  onTestFinished(() => clearInterval(timer));
}
