import { Agent } from "undici";
import { expect, it } from "vitest";
import { ConfigurationError } from "./errors.js";
import { requireDispatch } from "./pipeline.js";

it("a runtime whose undici cannot dispatch is named before anything is sent", async () => {
  const agent = new Agent();
  expect(requireDispatch(agent)).toBe(agent);
  await agent.close();
  // As in Bun 1.4.
  class Replaced {}
  expect(() => requireDispatch(new Replaced())).toThrow(ConfigurationError);
  expect(() => requireDispatch(new Replaced())).toThrow(/runtime replaces undici.*nothing was sent/);
});
