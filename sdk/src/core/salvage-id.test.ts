import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isIdentifier } from "./identifier.js";
import { salvageId } from "./salvage-id.js";

describe("salvageId", () => {
  it.each([
    ['{"status":"success","data":{"id":"db_1","na', "db_1"],
    ['{"status":"success","data":{"specs":{"id":"no"},"tags":["id"],"id":"db_1","x":[[[', "db_1"],
    ['{"meta":{"id":"no","data":{"id":"no"}},"data":{"inbox_id":"inbox_1",', "inbox_1"],
    ['{ "data" :\n{ "id" : "a\\"}b" , ', 'a"}b'],
    ['{"data":{"a":"\\"id\\":\\"no\\"","id":"db_1"', "db_1"],
  ])("finds the id in %s", (body, id) => {
    expect(salvageId(body)).toBe(id);
  });

  it.each([
    "",
    "<html>id</html>",
    '{"status":"success","data":{"id":"db_',
    '{"status":"success","data":{"id":',
    '{"status":"success","data":{"id":7,"name":"x"',
    '{"status":"success","data":{"id":null,"name":"id"',
    '{"status":"success","data":{"id":{"id":"no"},"id":""',
    '{"status":"success","data":[{"id":"db_1"',
    '{"status":"success","id":"db_1"',
    '{"data":"id","id":"no"',
    '{"data":{"name":"id","x":"no',
    '}}]]{"id":"no"',
    // No path can hold this id, so no call could use it.
    '{"data":{"id":"../databases/db_1"',
  ])("finds no id in %s", (body) => {
    expect(salvageId(body)).toBeUndefined();
  });

  it("finds the id wherever the body is cut after it, and never another id", () => {
    const others = fc.dictionary(
      fc.string().filter((name) => name !== "id" && name !== "inbox_id"),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(
        others,
        fc.string({ minLength: 1 }).filter(isIdentifier),
        others,
        fc.nat(),
        (before, id, after, cut) => {
          const data = { ...before, id, ...after };
          const body = JSON.stringify({ status: "success", data, meta: {} });
          const end = body.indexOf(`"id":${JSON.stringify(id)}`) + `"id":${JSON.stringify(id)}`.length;
          expect([undefined, id]).toContain(salvageId(body.slice(0, cut % body.length)));
          expect(salvageId(body)).toBe(id);
          if (!JSON.stringify(before).includes('"id":')) expect(salvageId(body.slice(0, end))).toBe(id);
        },
      ),
    );
  });

  it("searches only the beginning of a large body", () => {
    const at = performance.now();
    expect(salvageId(`{"data":${"[".repeat(60_000_000)}`)).toBeUndefined();
    expect(performance.now() - at).toBeLessThan(2_000);
  });
});
