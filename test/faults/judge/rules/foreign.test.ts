import { describe, expect, it } from "vitest";
import { entry, foreignDatabase, foundBy, live } from "../testing.js";

const theirs = live("Database", "db_theirs", { ...foreignDatabase.fields, status: "ready" });
const given = { foreign: [foreignDatabase] };

describe("foreign", () => {
  it("accepts an unchanged resource with any status", () => {
    expect(foundBy("foreign", { ...given, phases: [{ live: [theirs] }] })).toEqual([]);
  });

  it("finds that it was deleted", () => {
    const remove = { method: "DELETE", target: "/databases/db_theirs" };
    expect(foundBy("foreign", { ...given, phases: [{ exchanges: [remove] }] })).toEqual([
      "Database db_theirs is not ours, and was written to",
      "Database db_theirs is not ours, and is not there any more",
    ]);
  });

  it("finds that it was changed", () => {
    const changed = live("Database", "db_theirs", { ...theirs.fields, plan: "db-pro-4" });
    expect(foundBy("foreign", { ...given, phases: [{ live: [changed] }] })).toEqual([
      "Database db_theirs is not ours, and is not as its owner made it",
    ]);
  });

  it("finds that it was adopted", () => {
    const state = [entry("Database", "orders", "db_theirs")];
    expect(foundBy("foreign", { ...given, phases: [{ live: [theirs], state }] })).toEqual([
      "Database db_theirs is not ours, and is in the state",
    ]);
    const read = [entry("Database", "orders", "db_theirs", {}, { external: true })];
    expect(foundBy("foreign", { ...given, phases: [{ live: [theirs], state: read }] })).toEqual([]);
  });

  it("ignores a resource that its owner changed or deleted", () => {
    const released = [{ ...foreignDatabase, released: true as const }];
    expect(foundBy("foreign", { foreign: released, phases: [{}] })).toEqual([]);
  });
});
