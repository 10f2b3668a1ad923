import type { Rows } from "../../state/rows.js";
import { failRunningBackups } from "./backups.js";
import type { DatabasesContext } from "./context.js";

type Database = Rows["databases"];

/** After so much virtual time, a deletion or a change that failed is tried again. */
const RETRY_MS = 10_000;

/** A database's transition has become due: it is made real, and then shown. */
export function runTransition(context: DatabasesContext, database: Database): void {
  const { id } = database;
  if (database.status === "deleting") {
    context.background.run(
      id,
      () => context.databaseEngine.drop(database),
      () => removeDatabase(context, id),
      (error) => retryLater(context, id, error),
    );
    return;
  }
  if (database.pending === undefined) return;
  if (database.pending.to === "failed") {
    finish(context, id, { status: "failed", status_reason: database.pending.reason });
    return;
  }
  if (database.credentials) {
    context.background.run(
      id,
      () => context.databaseEngine.adjust(database),
      () => finish(context, id, { status: "ready" }),
      // It holds data, and is as usable as before.
      (error) => retryLater(context, id, error),
    );
    return;
  }
  context.background.run(
    id,
    () => context.databaseEngine.provision(database),
    (credentials) => finish(context, id, { status: "ready", credentials }),
    (error) => finish(context, id, { status: "failed", status_reason: reasonOf(error, "made") }),
  );
}

function finish(context: DatabasesContext, id: string, outcome: Partial<Database>): void {
  const database = context.store.tables.databases.get(id);
  // It may have been deleted, or set to something else out of band, while the work went on.
  if (!database || database.status === "deleting" || database.pending === undefined) return;
  context.store.write(database.tenant, (transaction) => {
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
function retryLater(context: DatabasesContext, id: string, error: unknown): void {
  const database = context.store.tables.databases.get(id);
  if (database === undefined) return;
  const isDeleting = database.status === "deleting";
  // It may have been set to something else out of band, while the work went on.
  if (!isDeleting && database.pending === undefined) return;
  // Where time is being moved, nothing real changes on the way, so that the end of it is soon enough.
  const dueAt = Math.max(context.clock.now() + RETRY_MS, context.clock.destination);
  const status_reason = reasonOf(error, isDeleting ? "deleted" : "changed");
  context.store.write(database.tenant, (transaction) =>
    transaction.put("databases", { ...database, status_reason, dueAt }),
  );
}

/** Takes a database and what hangs on it out of the state. Its backups are kept for their days. */
export function removeDatabase(context: DatabasesContext, id: string): void {
  const database = context.store.tables.databases.get(id);
  if (!database) return;
  context.store.write(database.tenant, (transaction) => {
    for (const schedule of context.store.tables.schedules.find("database", id)) {
      transaction.remove("schedules", schedule.id);
    }
    transaction.remove("databases", id);
  });
  failRunningBackups(context, id);
}

export function reasonOf(error: unknown, what: "made" | "changed" | "deleted"): string {
  return error instanceof Error ? error.message : `The database could not be ${what}.`;
}
