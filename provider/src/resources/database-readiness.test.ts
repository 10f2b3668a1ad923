import { expect, it } from "vitest";
import { databaseReadiness } from "./database-readiness.js";

it.each([
  [{ status: "ready", connectionUri: "postgresql://db.test/app" }, "ready"],
  [{ status: "ready" }, "pending"],
  [{ status: "provisioning", connectionUri: "postgresql://db.test/app" }, "pending"],
  [{ status: "a later invention", connectionUri: "postgresql://db.test/app" }, "pending"],
  [{}, "pending"],
  [{ status: "failed" }, "failed"],
] as const)("the phase of a database %j is %s", (remote, phase) => {
  expect(databaseReadiness.phase({ id: "db_1", ...remote })).toBe(phase);
});
