import * as pulumi from "@pulumi/pulumi";
import { programError } from "../kernel/engine/program-error.js";
import { databaseBehind } from "../resources/database-behind.js";

const schedules = new WeakMap<pulumi.Resource, Map<unknown, string>>();

/**
 * Records that a program declares the schedule of a database. The provider cannot compare two ids that are unknown in a
 * preview, or that two forms of the provider receive.
 *
 * @param databaseId - The id, or the `id` of a database in the program. Any other output is not compared.
 * @throws RunError when the program declares another schedule of the database.
 */
export function requireOneSchedule(name: string, databaseId: unknown): void {
  const stack = pulumi.runtime.getStackResource();
  // Tests with mocks have no stack.
  if (stack === undefined) return;
  const database = typeof databaseId === "string" ? databaseId : databaseWithId(databaseId);
  if (database === undefined) return;
  const known = schedules.get(stack) ?? new Map<unknown, string>();
  schedules.set(stack, known);
  const other = known.get(database);
  known.set(database, name);
  if (other === undefined) return;
  throw programError({
    code: "DECLARED_TWICE",
    summary: `BackupSchedule ${JSON.stringify(name)} and ${JSON.stringify(other)} are of one database`,
    cause: "a database has one schedule, and each would overwrite the other.",
    fixes: [{ line: "remove one of them" }],
  });
}

/** Returns the database whose id an output is. What a program computes from an id may be the id of another one. */
function databaseWithId(id: unknown): object | undefined {
  const database = databaseBehind(id);
  return database?.id === id ? database : undefined;
}
