import { describe, expect, it } from "vitest";
import type { Fields } from "../../evidence/kinds.js";
import { declared, entry, foundBy, live, step, urnOf } from "../testing.js";

const urn = urnOf("Database", "orders");
const orders = declared("Database", "orders", { region: "eu" });
const phases = (status: string, outputs = {}) =>
  [
    {
      name: "prefix",
      live: [live("Database", "db_1", { status })],
      state: [entry("Database", "orders", "db_1", outputs)],
    },
    { steps: [step("create-replacement", urn)] },
  ] as const;

describe("replaced", () => {
  it("finds the replacement of an unchanged resource", () => {
    expect(foundBy("replaced", { program: [orders], phases: phases("ready") })).toEqual([
      `create-replacement of ${urn}, which the program has not changed`,
    ]);
  });

  it("accepts the replacement of an unusable resource", () => {
    expect(foundBy("replaced", { program: [orders], phases: phases("failed") })).toEqual([]);
    expect(foundBy("replaced", { program: [orders], phases: phases("ready", { expired: true }) })).toEqual(
      [],
    );
  });

  it("accepts the replacement of a changed resource, unless only `adopt` changed", () => {
    const [first, second] = phases("ready");
    const given = (inputs: Fields) => ({
      programs: [[orders], [declared("Database", "orders", inputs)]],
      phases: [first, { ...second, program: 1 }],
    });
    expect(foundBy("replaced", given({ region: "us" }))).toEqual([]);
    expect(foundBy("replaced", given({ region: "eu", adopt: "db_1" }))).toHaveLength(1);
  });
});
