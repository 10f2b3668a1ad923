import { afterEach, expect, it, vi } from "vitest";
import { Problem } from "../setup/problem.mjs";
import { destroyFailed, failuresOf } from "./down.mjs";
import { projectNamed, quickstart } from "./projects.mjs";

const webApp = projectNamed("web-app");
const javascript = projectNamed("javascript");

afterEach(() => vi.restoreAllMocks());

it("goes on after a stack that cannot be destroyed, and reports the problem", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const done: string[] = [];
  const failed = await failuresOf([webApp, javascript, quickstart], async ({ name }) => {
    if (name !== "javascript") throw new Problem(`${name} is protected`);
    done.push(name);
  });
  expect(failed).toEqual([webApp, quickstart]);
  expect(done).toEqual(["javascript"]);
  expect(errors.mock.calls).toEqual([["\nweb-app is protected\n"], ["\nquickstart is protected\n"]]);
});

it("stops at an error that is not about a stack", async () => {
  const broken = () => Promise.reject(new TypeError("broken"));
  await expect(failuresOf([webApp, javascript], broken)).rejects.toThrow(TypeError);
});

it("names each stack that remains, and the lines to type", () => {
  const message = destroyFailed([webApp, quickstart]);
  expect(message).toContain("Not destroyed: web-app, quickstart;");
  expect(message).toContain(" npm run pulumi -- web-app state unprotect --all --yes --stack dev\n");
  expect(message).toContain(" npm run pulumi -- state unprotect --all --yes --stack local\n");
});
