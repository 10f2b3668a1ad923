import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readerOf } from "./reader.js";
import { freeForm, identifier, withWireName } from "./wire.js";

const thing = z.object({
  id: z.string(),
  shortUrl: z.string().optional(),
  clicksCount: z.int().optional(),
  ttl: withWireName(z.int().optional(), "TTL"),
  headers: freeForm().optional(),
  parts: z.array(z.object({ sizeMb: z.number().optional() })).optional(),
});
const read = readerOf(thing);

describe("a response", () => {
  it("has camelCase members where the schema knows them", () => {
    const wire = { id: "x", short_url: "s", TTL: 60, parts: [{ size_mb: 1.5 }] };
    expect(read(wire)).toEqual({ value: { id: "x", shortUrl: "s", ttl: 60, parts: [{ sizeMb: 1.5 }] } });
  });

  it("may contain null for an absent member", () => {
    expect(read({ id: "x", short_url: null, parts: null })).toEqual({ value: { id: "x" } });
  });

  it("keeps unknown members without converting what they contain", () => {
    const wire = { id: "x", brand_new: { inner_name: null, "__proto__ x": 1 } };
    expect(read(wire)).toEqual({ value: { id: "x", brandNew: { inner_name: null, "__proto__ x": 1 } } });
  });

  it("cannot set a known member under another spelling", () => {
    expect(read({ id: "x", shortUrl: "forged", short_url: "true" })).toEqual({
      value: { id: "x", shortUrl: "true" },
    });
    expect(read({ id: "x", shortUrl: 7 })).toEqual({ value: { id: "x" } });
  });

  it("reports every member of a wrong type with its path, and never quotes a value", () => {
    const wire = { short_url: 5, clicks_count: 1.5, parts: [{ size_mb: "secret-value" }], headers: [] };
    const result = read(wire);
    expect(result).toEqual({
      issues: [
        { path: "data.short_url", expected: "string", received: "number" },
        { path: "data.clicks_count", expected: "integer", received: "a number with a fraction" },
        { path: "data.parts[0].size_mb", expected: "number", received: "string" },
        { path: "data.headers", expected: "object", received: "array" },
        { path: "data.id", expected: "a value", received: "nothing" },
      ],
    });
    expect(JSON.stringify(result)).not.toContain("secret-value");
  });

  it.each(["../x", "a/b", "..", "a\\b", "a\nb", ""])("has no valid id when it is %j", (id) => {
    const read = readerOf(z.object({ id: identifier() }));
    expect(read({ id })).toEqual({
      issues: [{ path: "data.id", expected: "an id that can stand in a path", received: "string" }],
    });
    expect(read({ id: "db_1?#😀" })).toEqual({ value: { id: "db_1?#😀" } });
  });

  it("contains free-form objects unchanged", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (headers) => {
        const wire: unknown = JSON.parse(`{"id":"x","headers":${JSON.stringify(headers)}}`);
        const result = read(wire);
        expect("value" in result && JSON.stringify(result.value.headers)).toBe(JSON.stringify(headers));
      }),
    );
  });

  // Of the 100 levels, the envelope and `data` are two.
  it.each([
    ["an unknown member", (deep: unknown) => ({ id: "x", brand_new: deep }), 98, "data"],
    ["a free-form member", (deep: unknown) => ({ id: "x", headers: deep }), 98, "data.headers"],
    [
      "an unknown member of a part",
      (deep: unknown) => ({ id: "x", parts: [{ brand_new: deep }] }),
      96,
      "data.parts[0]",
    ],
  ])("has at most a hundred levels in %s", (_, wire, most, path) => {
    const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
    expect(read(wire(nested(most)))).toHaveProperty("value");
    expect(read(wire(nested(most + 1)))).toEqual({
      issues: [{ path, expected: "fewer levels of nesting", received: "object" }],
    });
  });

  it("has at most a hundred levels where the schema describes nothing", () => {
    const readAny = readerOf(z.unknown());
    const arrays = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));
    expect(readAny(arrays(99))).toHaveProperty("value");
    expect(readAny(arrays(100))).toEqual({
      issues: [{ path: "data", expected: "fewer levels of nesting", received: "array" }],
    });
    expect(readAny(arrays(100_000))).toHaveProperty("issues");
    const readNothing = readerOf(z.undefined());
    expect(readNothing(arrays(99))).toEqual({ value: undefined });
    expect(readNothing(arrays(100))).toHaveProperty("issues");
  });

  it("of any shape is read or rejected, and never changes a prototype", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.string(), fc.constant("__proto__")), fc.jsonValue()),
        (members) => {
          const wire: unknown = JSON.parse(
            `{"__proto__":{"polluted":true},${JSON.stringify({ ...members, id: "x" }).slice(1)}`,
          );
          const result = read(wire);
          if ("value" in result) {
            expect(Object.getPrototypeOf(result.value)).toBe(Object.prototype);
            expect("polluted" in result.value).toBe(false);
          }
          expect("polluted" in {}).toBe(false);
        },
      ),
    );
  });
});
