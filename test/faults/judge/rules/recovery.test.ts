import { describe, expect, it } from "vitest";
import { diagnostic, foundBy } from "../testing.js";

const ending = { result: "recovered", runs: 1, stops: [], complaints: [] } as const;
const failed = { outcome: "failed", printed: [diagnostic("no")] } as const;

describe("recovery", () => {
  it("accepts that a struck command fails and is whole again after three runs", () => {
    expect(foundBy("recovery", { phases: [failed], ending: { ...ending, runs: 3 } })).toEqual([]);
    expect(foundBy("recovery", { phases: [failed], ending: { ...ending, runs: 4 } })).toHaveLength(1);
  });

  it("finds that a command fails which nothing has struck", () => {
    expect(foundBy("recovery", { faults: [], phases: [failed] })).toHaveLength(1);
    expect(foundBy("recovery", { phases: [{ ...failed, name: "prefix" }] })).toHaveLength(1);
    const unstruck = { ...ending, result: "unstruck" } as const;
    expect(foundBy("recovery", { phases: [failed], ending: unstruck })).toHaveLength(1);
  });

  it.each(["stuck", "stopped", "crashed"] as const)("finds that it is %s", (result) => {
    expect(foundBy("recovery", { phases: [failed], ending: { ...ending, result } })).toHaveLength(1);
  });
});
