import type { Rows } from "../state/rows.js";
import type { World } from "../world.js";
import { abandonBackups } from "./backups.js";

type Database = Rows["databases"];

/** After so much virtual time, a deletion or a change that failed is tried again. */
const RETRY_MS = 10_000;

/** A database's transition has become due: it is made real, and then shown. */
export function settleDatabase(world: World, database: Database): void {
  const { id } = database;
  if (database.status === "deleting") {
    world.works.run(
      id,
      () => world.databases.drop(database),
      () => removeDatabase(world, id),
      (error) => putOff(world, id, error),
    );
    return;
  }
  if (database.pending === undefined) return;
  if (database.pending.to === "failed") {
    finish(world, id, { status: "failed", status_reason: database.pending.reason });
    return;
  }
  if (database.credentials) {
    world.works.run(
      id,
      () => world.databases.adjust(database),
      () => finish(world, id, { status: "ready" }),
      // It holds data, and is as usable as before.
      (error) => putOff(world, id, error),
    );
    return;
  }
  world.works.run(
    id,
    () => world.databases.provision(database),
    (credentials) => finish(world, id, { status: "ready", credentials }),
    (error) => finish(world, id, { status: "failed", status_reason: reasonOf(error, "made") }),
  );
}

function finish(world: World, id: string, outcome: Partial<Database>): void {
  const database = world.store.tables.databases.get(id);
  // It may have been deleted, or set to something else out of band, while the work went on.
  if (!database || database.status === "deleting" || database.pending === undefined) return;
  world.store.write(database.tenant, (transaction) => {
    transaction.put("databases", {
      ...database,
      dueAt: undefined,
      pending: undefined,
      status_reason: undefined,
      ...outcome,
    });
  });
}

/** What cannot be dropped or changed keeps its status, with the reason, until a later attempt succeeds. */
function putOff(world: World, id: string, error: unknown): void {
  const database = world.store.tables.databases.get(id);
  if (database === undefined) return;
  const isDeleting = database.status === "deleting";
  // It may have been set to something else out of band, while the work went on.
  if (!isDeleting && database.pending === undefined) return;
  // Where time is being moved, nothing real changes on the way, so that the end of it is soon enough.
  const dueAt = Math.max(world.clock.now() + RETRY_MS, world.clock.heading);
  const status_reason = reasonOf(error, isDeleting ? "deleted" : "changed");
  world.store.write(database.tenant, (transaction) =>
    transaction.put("databases", { ...database, status_reason, dueAt }),
  );
}

/** Takes a database and what hangs on it out of the state. Its backups are kept for their days. */
export function removeDatabase(world: World, id: string): void {
  const database = world.store.tables.databases.get(id);
  if (!database) return;
  world.store.write(database.tenant, (transaction) => {
    for (const schedule of world.store.tables.schedules.find("database", id)) {
      transaction.remove("schedules", schedule.id);
    }
    transaction.remove("databases", id);
  });
  abandonBackups(world, id);
}

export function reasonOf(error: unknown, what: "made" | "changed" | "deleted"): string {
  return error instanceof Error ? error.message : `The database could not be ${what}.`;
}
