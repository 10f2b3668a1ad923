import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { databaseOperations } from "../resources/databases.js";
import { linkOperations } from "../resources/links.js";
import { mailOperations } from "../resources/mail.js";
import { utilOperations } from "../resources/utils.js";
import { vpsOperations } from "../resources/vps.js";
import { webhookOperations } from "../resources/webhooks.js";
import { camelCased, snakeCased } from "./casing.js";
import { freeForm, identifier, readerOf, toWire, withWireName } from "./wire.js";

const all = [
  ...linkOperations,
  ...databaseOperations,
  ...vpsOperations,
  ...mailOperations,
  ...webhookOperations,
  ...utilOperations,
];

const thing = z.object({
  id: z.string(),
  shortUrl: z.string().optional(),
  clicksCount: z.int().optional(),
  ttl: withWireName(z.int().optional(), "TTL"),
  headers: freeForm().optional(),
  parts: z.array(z.object({ sizeMb: z.number().optional() })).optional(),
});
const read = readerOf(thing);

describe("names", () => {
  it("survive the conversion to the wire and back for every known member", () => {
    const names = new Set<string>();
    const collect = (schema: unknown): void => {
      if (schema instanceof z.ZodObject) {
        for (const [name, member] of Object.entries(schema.shape)) {
          names.add(name);
          collect(member);
        }
      } else if (schema instanceof z.ZodArray) collect(schema.element);
      else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) collect(schema.unwrap());
    };
    for (const operation of all) {
      collect(operation.input);
      collect(operation.response);
    }
    expect(names.size).toBeGreaterThan(50);
    for (const name of names) expect(camelCased(snakeCased(name))).toBe(name);
  });

  it("with leading, doubled or trailing underscores stay readable", () => {
    expect(["_links", "a__b", "a_", "ipv4_public", "a_1", "TTL"].map(camelCased)).toEqual([
      "_links",
      "a__b",
      "a_",
      "ipv4Public",
      "a1",
      "TTL",
    ]);
  });
});

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

describe("a request", () => {
  it("is in snake_case, without undefined members", () => {
    const schema = z.strictObject({
      utmSource: z.string().optional(),
      expiresAt: z.date(),
      sshKeys: z.array(z.string()),
      title: z.string().nullable(),
    });
    expect(
      toWire(schema, { utmSource: undefined, expiresAt: new Date(0), sshKeys: ["a_b"], title: null }),
    ).toEqual({
      expires_at: "1970-01-01T00:00:00.000Z",
      ssh_keys: ["a_b"],
      title: null,
    });
  });

  it("is converted through any wrapper of an object schema, and fails for an unsupported schema", () => {
    const schema = z.strictObject({ ttlMinutes: z.int() });
    const wire = { ttl_minutes: 1 };
    for (const around of [schema, schema.optional(), schema.nullable(), schema.default({ ttlMinutes: 2 })]) {
      expect(toWire(around, { ttlMinutes: 1 })).toEqual(wire);
    }
    expect(() => toWire(z.record(z.string(), z.int()), { a: 1 })).toThrow(TypeError);
  });

  it("contains free-form objects unchanged", () => {
    const schema = z.strictObject({ targetUrl: z.string(), payload: freeForm() });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (payload) => {
        expect(toWire(schema, { targetUrl: "u", payload })).toEqual({ target_url: "u", payload });
      }),
    );
  });

  it("survives the round trip through the wire for any text", () => {
    const schema = z.object({ id: z.string(), shortUrl: z.string(), sizeMb: z.int() });
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer(), (text, size) => {
        const value = { id: text, shortUrl: text, sizeMb: size };
        expect(readerOf(schema)(JSON.parse(JSON.stringify(toWire(schema, value))))).toEqual({ value });
      }),
    );
  });
});
