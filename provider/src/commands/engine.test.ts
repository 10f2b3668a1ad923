import { expect, it } from "vitest";
import { reasonIn } from "./engine.js";

it.each([
  [
    "warning: A new version of Pulumi is available.\nerror: no stack named 'dev' found\n",
    "no stack named 'dev' found",
  ],
  ["\nerror: the passphrase is wrong\nerror: and more\n", "the passphrase is wrong"],
  ["panic: it is broken\n", "panic: it is broken"],
  ["", "it failed"],
])("an engine that prints %j fails because: %s", (stderr, reason) => {
  expect(reasonIn(stderr)).toBe(reason);
});
