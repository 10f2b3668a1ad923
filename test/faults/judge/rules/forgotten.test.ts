import { describe, expect, it } from "vitest";
import type { Fields } from "../../evidence/kinds.js";
import { entry, foundBy, live } from "../testing.js";

const phases = (before: Fields, after: Fields, fields: Fields) =>
  [
    { name: "prefix", state: [entry("VpsInstance", "web", "vps_1", before)] },
    {
      command: "refresh",
      live: [live("VpsInstance", "vps_1", { ...fields })],
      state: [entry("VpsInstance", "web", "vps_1", after)],
    },
  ] as const;

describe("forgotten", () => {
  it("finds a lost output that the service still has", () => {
    const given = phases({ ipv4: "203.0.113.1" }, {}, { ipv4: "203.0.113.1" });
    expect(foundBy("forgotten", { phases: given })).toEqual([
      "VpsInstance vps_1 has lost ipv4 from the state",
    ]);
  });

  it("accepts an output that the service no longer has", () => {
    expect(foundBy("forgotten", { phases: phases({ ipv4: "203.0.113.1" }, {}, {}) })).toEqual([]);
  });

  it("accepts an input that the program no longer gives", () => {
    expect(foundBy("forgotten", { phases: phases({ name: "web" }, {}, { name: "web" }) })).toEqual([]);
  });
});
