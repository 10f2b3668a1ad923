import { expect, test } from "vitest";
import { aDatabaseRow, testContext } from "../../../test/context.js";
import { removeResource } from "../../control/removal.js";
import type { ServicesContext } from "../../services/context.js";
import { databaseOperations } from "./operations.js";
import { simulatedEngine } from "./simulated-engine.js";

/** A context whose database server fails so often before it deletes. */
function reluctant(failures: number) {
  let attempts = 0;
  const context = testContext({
    databaseEngine: {
      ...simulatedEngine(() => 0),
      drop: () => {
        attempts += 1;
        if (attempts <= failures) throw new Error("the server is not reachable");
      },
    },
  });
  context.store.write("local", (transaction) => transaction.put("databases", aDatabaseRow));
  context.progressions.set("deletion", { mode: "time", ms: 0 });
  return { context, attempts: () => attempts };
}

async function deleteDatabase(context: ServicesContext): Promise<void> {
  const operation = databaseOperations.find(({ id }) => id === "deleteDatabase");
  await operation?.run({
    ...{ tenant: "local", params: { id: "db_1" }, query: {}, body: undefined, context, isStale: false },
    tables: context.store.tables,
    write: (body) => context.store.write("local", body),
  });
}

const found = ({ store }: ServicesContext) => store.tables.databases.get("db_1");

test("a deletion that fails says why, and is tried again as time goes on", async () => {
  const { context, attempts } = reluctant(2);
  await deleteDatabase(context);
  expect(found(context)).toMatchObject({ status: "deleting", status_reason: "the server is not reachable" });
  context.runDue();
  expect(attempts()).toBe(1);
  for (let later = 0; later < 2; later++) {
    context.clock.set(context.clock.now() + 10_000);
    context.runDue();
  }
  expect([attempts(), found(context)]).toEqual([3, undefined]);
});

test("deleting again tries at once", async () => {
  const { context, attempts } = reluctant(1);
  await deleteDatabase(context);
  await deleteDatabase(context);
  expect([attempts(), found(context)]).toEqual([2, undefined]);
});

test("a deletion that has not been tried yet keeps its transition", async () => {
  const { context, attempts } = reluctant(0);
  context.store.write("local", (transaction) =>
    transaction.put("databases", { ...aDatabaseRow, status: "failed", status_reason: "no space" }),
  );
  context.progressions.set("deletion", { mode: "stuck" });
  await deleteDatabase(context);
  await deleteDatabase(context);
  expect([attempts(), found(context)?.status]).toEqual([0, "deleting"]);
});

test("on the way to a later time, nothing is tried more than once", async () => {
  const { context, attempts } = reluctant(1_000);
  await context.clock.moveTowards(context.clock.now() + 86_400_000, () => deleteDatabase(context));
  expect([attempts(), found(context)?.dueAt]).toEqual([1, context.clock.now() + 86_400_000]);
});

test("control gets the reason why a database cannot be deleted", async () => {
  const { context } = reluctant(1);
  await expect(removeResource(context, "db_1")).rejects.toMatchObject({
    status: 409,
    message: 'The database "db_1" was not deleted: the server is not reachable',
  });
  expect(await removeResource(context, "db_1")).toBe(true);
});

test("a change that fails keeps the database and says why, and is tried again as time goes on", async () => {
  let attempts = 0;
  const context = testContext({
    databaseEngine: {
      ...simulatedEngine(() => 0),
      adjust: () => {
        attempts += 1;
        if (attempts <= 2) throw new Error("the server is not reachable");
      },
    },
  });
  const credentials = await context.databaseEngine.provision(aDatabaseRow);
  const pending = { to: "ready" as const };
  const row = { ...aDatabaseRow, credentials, status: "updating" as const, pending, dueAt: 1_000 };
  context.store.write("local", (transaction) => transaction.put("databases", row));
  context.runDue();
  expect(found(context)).toMatchObject({
    ...{ status: "updating", status_reason: "the server is not reachable", credentials },
  });
  for (let later = 0; later < 2; later++) {
    context.clock.set(context.clock.now() + 10_000);
    context.runDue();
  }
  expect([attempts, found(context)?.status, found(context)?.status_reason]).toEqual([3, "ready", undefined]);
});
