import { describe, expect, it } from "vitest";
import { diagnostic, foundBy, live, step, urnOf } from "../testing.js";

const ending = { result: "recovered", runs: 1, stops: [], complaints: [] } as const;
const failed = { outcome: "failed", printed: [diagnostic("no")] } as const;

describe("recovery", () => {
  it("accepts a struck command that fails and recovers within three runs", () => {
    expect(foundBy("recovery", { phases: [failed], ending: { ...ending, runs: 3 } })).toEqual([]);
    expect(foundBy("recovery", { phases: [failed], ending: { ...ending, runs: 4 } })).toHaveLength(1);
  });

  it("finds a command that fails without a fault", () => {
    expect(foundBy("recovery", { faults: [], phases: [failed] })).toHaveLength(1);
    expect(foundBy("recovery", { phases: [{ ...failed, name: "prefix" }] })).toHaveLength(1);
    const unstruck = { ...ending, result: "unstruck" } as const;
    expect(foundBy("recovery", { phases: [failed], ending: unstruck })).toHaveLength(1);
    const key = {
      name: "key-other",
      class: "key",
      span: "rest",
      phase: 0,
      when: "instead",
      struck: [],
    } as const;
    expect(foundBy("recovery", { phases: [failed], ending: unstruck, faults: [key] })).toEqual([]);
  });

  it.each(["stuck", "stopped", "crashed"] as const)("finds that it is %s", (result) => {
    expect(foundBy("recovery", { phases: [failed], ending: { ...ending, result } })).toHaveLength(1);
  });

  it("finds that deleting a deleted resource fails", () => {
    const body = { status: "error", error: { code: "RESOURCE_NOT_FOUND" } };
    const sent = { status: 404, headers: {}, body };
    const remove = { method: "DELETE", target: "/databases/db_1", sent } as const;
    const steps = [{ ...step("delete", urnOf("Database", "orders"), "failed"), id: "db_1" }];
    const phase = { command: "destroy", outcome: "failed", exchanges: [remove], steps } as const;
    expect(foundBy("recovery", { phases: [phase] })).toEqual([
      "Database db_1 is deleted, but deleting it again failed",
    ]);
    const alive = { ...phase, live: [live("Database", "db_1")] };
    expect(foundBy("recovery", { phases: [alive] })).toEqual([]);
    const page = { ...remove, sent: { status: 404, headers: {}, body: "<html>" } };
    expect(foundBy("recovery", { phases: [{ ...phase, exchanges: [page] }] })).toEqual([]);
  });
});
