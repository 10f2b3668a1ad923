import fc from "fast-check";
import { expect, it } from "vitest";
import { UNKNOWN } from "../definition/properties.js";
import { representable } from "./representable.js";

it("converts arbitrary values to JSON and UTF-8, and changes no valid value", () => {
  const strange = fc.constantFrom<unknown>(
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1n,
    Symbol("s"),
    () => 1,
    new Date(Number.NaN),
    "\ud800",
    Object.create(null),
    {
      get broken() {
        throw new Error("no");
      },
    },
  );
  const value = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      strange,
      fc.jsonValue(),
      fc.array(tie("node")),
      fc.dictionary(fc.string({ unit: "binary" }), tie("node")),
    ),
  })).node;
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value), (values) => {
      const kept = representable(values);
      expect(JSON.parse(JSON.stringify(kept))).toEqual(JSON.parse(JSON.stringify(representable(kept))));
      expect(JSON.stringify(kept)).not.toMatch(/\\ud[89a-f]/i);
    }),
  );
  expect(representable({ a: [1, null, { b: "c" }], u: UNKNOWN })).toEqual({
    a: [1, null, { b: "c" }],
    u: UNKNOWN,
  });
});

it("cuts off cycles and deep nesting", () => {
  const circle: Record<string, unknown> = { name: "a" };
  circle["self"] = circle;
  circle["list"] = [circle];
  expect(representable(circle)).toEqual({ name: "a", list: [null] });
  let deep: Record<string, unknown> = {};
  for (let i = 0; i < 100_000; i++) deep = { deep };
  expect(() => JSON.stringify(representable(deep))).not.toThrow();
});

it("drops a key that would become a prototype", () => {
  const values: Record<string, unknown> = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":1}}');
  expect(JSON.stringify(representable(values))).toBe('{"a":{}}');
});
