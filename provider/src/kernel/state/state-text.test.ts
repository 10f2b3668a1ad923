import fc from "fast-check";
import { expect, it } from "vitest";
import { withStateObject, withStateText } from "./state-text.js";

const inputs = ["url", "slug", "domain"];
const field = fc.constantFrom(...inputs);

const state = fc.record(
  {
    version: fc.constant(1),
    baseUrl: fc.webUrl(),
    key: fc.string(),
    given: fc.uniqueArray(field).map((fields) => inputs.filter((name) => fields.includes(name))),
    ready: fc.boolean(),
    everReady: fc.boolean(),
    entry: fc.string(),
    restore: fc.dictionary(fc.string(), fc.jsonValue()),
    uncertain: fc.array(field),
  },
  { requiredKeys: ["version", "baseUrl", "key", "given", "ready", "everReady"] },
);

it("returns every state as it was", () => {
  fc.assert(
    fc.property(fc.dictionary(field, fc.string()), state, (values, __state) => {
      const outputs = { ...values, id: "l_1", __state };
      const stored: unknown = JSON.parse(JSON.stringify(withStateText(outputs, inputs)));
      if (typeof stored !== "object" || stored === null) throw new Error("The outputs are no object.");
      expect(withStateObject({ ...stored }, inputs)).toEqual(JSON.parse(JSON.stringify(outputs)));
    }),
  );
});

it("does not store what follows from the outputs", () => {
  const __state = { version: 1, baseUrl: "u", key: "k", given: ["url"], ready: true, everReady: true };
  expect(withStateText({ url: "a", domain: "b", __state }, inputs)["__state"]).toBe(
    '{"version":1,"baseUrl":"u","key":"k","chosen":["domain"]}',
  );
});

it("keeps outputs without a state, or with one of another shape", () => {
  expect(withStateText({ url: "a" }, inputs)).toEqual({ url: "a" });
  expect(withStateObject({ url: "a", __state: { version: 1 } }, inputs)).toEqual({
    url: "a",
    __state: { version: 1 },
  });
});
