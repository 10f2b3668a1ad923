import fc from "fast-check";
import { expect, it } from "vitest";
import { settings } from "../../test-support/plan.js";
import { guard } from "./guard.js";
import { VERSION } from "./resource-state.js";
import { withStateObject, withStateText } from "./state-text.js";

const kind = { inputs: { url: {}, slug: {}, domain: {} }, naming: { field: "slug" } };
const unnamed = { inputs: kind.inputs };
const inputs = Object.keys(kind.inputs);
const field = fc.constantFrom(...inputs);
/** Few values, so that a derived name often equals the name. */
const value = fc.constantFrom("a", "b", "");

const state = fc.record(
  {
    version: fc.constantFrom(VERSION, VERSION + 1),
    baseUrl: fc.webUrl(),
    key: fc.string(),
    given: fc.uniqueArray(field).map((fields) => inputs.filter((name) => fields.includes(name))),
    ready: fc.boolean(),
    everReady: fc.boolean(),
    entry: fc.string(),
    restore: fc.dictionary(fc.string(), fc.jsonValue()),
    uncertain: fc.array(field),
    ofNewerVersion: fc.jsonValue(),
  },
  { requiredKeys: ["version", "baseUrl", "key", "given", "ready", "everReady"] },
);
const hidden = fc.record({ __urn: fc.string(), __name: value, __other: fc.string() }, { requiredKeys: [] });

/** Returns outputs as the engine keeps them. */
function kept(outputs: object): Record<string, unknown> {
  const stored: unknown = JSON.parse(JSON.stringify(outputs));
  if (typeof stored !== "object" || stored === null) throw new Error("The outputs are no object.");
  return { ...stored };
}

it("returns every state and hidden output as it was", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(kind, unnamed),
      fc.dictionary(field, value),
      hidden,
      state,
      (of, values, added, __state) => {
        const outputs = kept({ ...values, ...added, id: "l_1", __state });
        const text = kept(withStateText(of, outputs));
        expect(text["__state"]).toBeTypeOf("string");
        expect(withStateObject(of, text)).toEqual(outputs);
      },
    ),
  );
});

const ordinary = { version: 1, baseUrl: "u", key: "k", given: ["url", "slug"], ready: true, everReady: true };

it("does not store what follows from the outputs", () => {
  const outputs = { url: "a", slug: "s", domain: "b" };
  const __state = { ...ordinary, entry: "e" };
  expect(withStateText(kind, { ...outputs, __urn: "r", __name: "s", __state })).toEqual({
    ...outputs,
    __state: '["u","k","e","r",["domain"]]',
  });
  expect(withStateText(kind, { url: "a", slug: "s", __state: { ...ordinary, ready: false } })).toEqual({
    url: "a",
    slug: "s",
    __state: '["u","k",null,null,[],{"ready":false,"__name":null}]',
  });
});

it("keeps outputs without a state, or with one of another shape", () => {
  for (const outputs of [
    { url: "a", __urn: "r" },
    { url: "a", __urn: "r", __state: { version: 1 } },
  ]) {
    expect(withStateText(kind, outputs)).toEqual(outputs);
    expect(withStateObject(kind, outputs)).toEqual(outputs);
  }
});

it("lets the guard reject the line of a newer version", () => {
  const version = VERSION + 1;
  const __state = JSON.stringify([
    settings.baseUrl,
    "k",
    "e",
    "u",
    ["domain"],
    { version, chosen: "another" },
    "x",
  ]);
  expect(() => guard(settings, "Link", withStateObject(kind, { url: "a", __state }))).toThrow(
    expect.objectContaining({ diagnostic: expect.objectContaining({ code: "STATE_TOO_NEW" }) }),
  );
});

it("accepts any text", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.array(fc.jsonValue()).map((list) => JSON.stringify(list)),
      ),
      (text) => {
        const outputs = withStateObject(kind, { url: "a", slug: "s", __state: text });
        expect(withStateObject(kind, withStateText(kind, outputs))).toEqual(outputs);
      },
    ),
  );
});
