import { expect, test } from "vitest";
import { aDatabaseRow, worldOf } from "../../test/world.js";
import { databaseOperations } from "../api/databases.js";
import { removeOutOfBand } from "../control/removal.js";
import type { World } from "../world.js";
import { simulatedEngine } from "./simulated.js";

/** A world whose database server fails so often before it deletes. */
function reluctant(failures: number) {
  let attempts = 0;
  const world = worldOf({
    databases: {
      ...simulatedEngine(() => 0),
      drop: () => {
        attempts += 1;
        if (attempts <= failures) throw new Error("the server is not reachable");
      },
    },
  });
  world.store.write("local", (transaction) => transaction.put("databases", aDatabaseRow));
  world.progressions.set("deletion", { mode: "time", ms: 0 });
  return { world, attempts: () => attempts };
}

async function deleteDatabase(world: World): Promise<void> {
  const operation = databaseOperations.find(({ id }) => id === "deleteDatabase");
  await operation?.run({
    ...{ tenant: "local", params: { id: "db_1" }, query: {}, body: undefined, world, isStale: false },
    tables: world.store.tables,
    write: (body) => world.store.write("local", body),
  });
}

const found = ({ store }: World) => store.tables.databases.get("db_1");

test("a deletion that fails says why, and is tried again as time goes on", async () => {
  const { world, attempts } = reluctant(2);
  await deleteDatabase(world);
  expect(found(world)).toMatchObject({ status: "deleting", status_reason: "the server is not reachable" });
  world.runDue();
  expect(attempts()).toBe(1);
  for (let later = 0; later < 2; later++) {
    world.clock.set(world.clock.now() + 10_000);
    world.runDue();
  }
  expect([attempts(), found(world)]).toEqual([3, undefined]);
});

test("deleting again tries at once", async () => {
  const { world, attempts } = reluctant(1);
  await deleteDatabase(world);
  await deleteDatabase(world);
  expect([attempts(), found(world)]).toEqual([2, undefined]);
});

test("a deletion that has not been tried yet keeps its course", async () => {
  const { world, attempts } = reluctant(0);
  world.store.write("local", (transaction) =>
    transaction.put("databases", { ...aDatabaseRow, status: "failed", status_reason: "no space" }),
  );
  world.progressions.set("deletion", { mode: "stuck" });
  await deleteDatabase(world);
  await deleteDatabase(world);
  expect([attempts(), found(world)?.status]).toEqual([0, "deleting"]);
});

test("on the way to a later time, nothing is tried more than once", async () => {
  const { world, attempts } = reluctant(1_000);
  await world.clock.headFor(world.clock.now() + 86_400_000, () => deleteDatabase(world));
  expect([attempts(), found(world)?.dueAt]).toEqual([1, world.clock.now() + 86_400_000]);
});

test("control is told why a database cannot be deleted", async () => {
  const { world } = reluctant(1);
  await expect(removeOutOfBand(world, "db_1")).rejects.toMatchObject({
    status: 409,
    message: 'The database "db_1" was not deleted: the server is not reachable',
  });
  expect(await removeOutOfBand(world, "db_1")).toBe(true);
});

test("a change that fails keeps the database and says why, and is tried again as time goes on", async () => {
  let attempts = 0;
  const world = worldOf({
    databases: {
      ...simulatedEngine(() => 0),
      adjust: () => {
        attempts += 1;
        if (attempts <= 2) throw new Error("the server is not reachable");
      },
    },
  });
  const credentials = await world.databases.provision(aDatabaseRow);
  const pending = { to: "ready" as const };
  const row = { ...aDatabaseRow, credentials, status: "updating" as const, pending, dueAt: 1_000 };
  world.store.write("local", (transaction) => transaction.put("databases", row));
  world.runDue();
  expect(found(world)).toMatchObject({
    ...{ status: "updating", status_reason: "the server is not reachable", credentials },
  });
  for (let later = 0; later < 2; later++) {
    world.clock.set(world.clock.now() + 10_000);
    world.runDue();
  }
  expect([attempts, found(world)?.status, found(world)?.status_reason]).toEqual([3, "ready", undefined]);
});
