import { describe, expect, it } from "vitest";
import { parsedDeepJson, parsedJson } from "./json.js";

const arrays = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

describe("parsing JSON", () => {
  it.each([
    ["arrays", arrays],
    ["objects", objects],
    ["objects in arrays", (levels: number) => `[1,${objects(levels - 1)}]`],
    ["arrays in objects", (levels: number) => `{"b":"[[","a":${arrays(levels - 1)}}`],
  ])("accepts a hundred levels of %s and no more", (_, nested) => {
    expect(parsedJson(nested(100))).toEqual(JSON.parse(nested(100)));
    expect(parsedJson(nested(101))).toBeUndefined();
  });

  it("survives millions of levels", () => {
    expect(parsedJson(arrays(1_000_000))).toBeUndefined();
    expect(parsedJson("[".repeat(4_000_000))).toBeUndefined();
  });

  it("accepts any number of levels where the caller checks them", () => {
    expect(JSON.stringify(parsedDeepJson(arrays(101)))).toBe(arrays(101));
  });

  it.each([parsedJson, parsedDeepJson])("returns undefined for a text that is not JSON: $name", (parsed) => {
    expect(parsed('{"a":')).toBeUndefined();
  });
});
