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
import { readerOf } from "./reader.js";
import { freeForm, toWire } from "./wire.js";

const all = [
  ...linkOperations,
  ...databaseOperations,
  ...vpsOperations,
  ...mailOperations,
  ...webhookOperations,
  ...utilOperations,
];

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
