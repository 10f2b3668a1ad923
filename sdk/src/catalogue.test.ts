import { describe, expect, it } from "vitest";
import { databaseEngines, databasePlans, estimateCost, vpsImages, vpsPlans } from "./catalogue.js";

describe("the catalogue", () => {
  it("has what the specification lists, each once", () => {
    for (const [list, count] of [
      [databasePlans.map(({ id }) => id), 4],
      [databaseEngines.map(({ name }) => name), 4],
      [vpsPlans.map(({ id }) => id), 6],
      [vpsImages, 9],
    ] as const) {
      expect(new Set(list).size).toBe(count);
    }
  });

  it("gives identifiers only where the specification does", () => {
    expect(databaseEngines.flatMap((engine) => ("id" in engine ? [engine.id] : []))).toEqual(["postgresql"]);
  });
});

describe("an estimate", () => {
  it("adds up exactly, where fractions would not", () => {
    expect(estimateCost({ vps: [{ plan: "vps-micro-1", count: 3 }, { plan: "vps-memory-8" }] })).toEqual({
      monthlyUsd: 67,
      hourlyUsd: 0.0928,
      unpriced: [],
    });
  });

  it("names what has no price, rather than taking it for free", () => {
    const estimate = estimateCost({
      vps: [{ plan: "vps-new-32" }],
      databases: [{ plan: "db-pro-4" }, { plan: "db-pro-4" }],
    });
    expect(estimate).toEqual({ monthlyUsd: 0, hourlyUsd: 0, unpriced: ["db-pro-4", "vps-new-32"] });
  });

  it("of nothing is nothing", () => {
    expect(estimateCost({})).toEqual({ monthlyUsd: 0, hourlyUsd: 0, unpriced: [] });
  });

  it("refuses half a server", () => {
    expect(() => estimateCost({ vps: [{ plan: "vps-micro-1", count: 0.5 }] })).toThrow(RangeError);
  });
});
