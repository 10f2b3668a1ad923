import { describe, expect, it } from "vitest";
import { created, declared, diagnostic, entry, foundBy, live } from "../testing.js";

const made = {
  exchanges: [{ method: "POST", target: "/databases", service: created("db_1") }],
  state: [entry("Database", "orders", "db_1")],
} as const;
const destroy = { name: "destroy", command: "destroy" } as const;
const alive = { ...destroy, live: [live("Database", "db_1", { status: "ready" })] };

describe("destroyed", () => {
  it("accepts that nothing is left, or only resources being deleted", () => {
    expect(foundBy("destroyed", { phases: [made, destroy] })).toEqual([]);
    const leaving = { ...destroy, live: [live("Database", "db_1", { status: "deleting" })] };
    expect(foundBy("destroyed", { phases: [made, leaving] })).toEqual([]);
  });

  it("finds a resource that outlives the stack", () => {
    expect(foundBy("destroyed", { phases: [made, alive] })).toEqual([
      "Database db_1 outlives the stack, and no message names it",
    ]);
    const known = { state: [entry("Database", "orders", "db_1")] };
    expect(foundBy("destroyed", { phases: [known, alive] })).toHaveLength(1);
  });

  it("accepts resources that a message reports as left, or that are retained", () => {
    const named = { ...alive, printed: [diagnostic("db_1 was left at the service")] };
    expect(foundBy("destroyed", { mode: "documented", phases: [made, named] })).toEqual([]);
    const program = [declared("Database", "orders", {}, { retainOnDelete: true })];
    expect(foundBy("destroyed", { program, phases: [made, alive] })).toEqual([]);
  });

  it("accepts a message by kind where the id is unknown, for that kind alone", () => {
    const text = (kind: string) => diagnostic(`${kind} "x" (unnamed:urn) was left at the service`);
    expect(foundBy("destroyed", { phases: [made, { ...alive, printed: [text("Database")] }] })).toEqual([]);
    expect(foundBy("destroyed", { phases: [made, { ...alive, printed: [text("Webhook")] }] })).toHaveLength(
      1,
    );
  });

  it("finds a resource left in the state, and a failed destroy", () => {
    expect(foundBy("destroyed", { phases: [made, { ...destroy, state: made.state }] })).toHaveLength(1);
    expect(foundBy("destroyed", { phases: [made, { ...destroy, outcome: "failed" }] })).toEqual([
      "the stack cannot be destroyed",
    ]);
  });
});
