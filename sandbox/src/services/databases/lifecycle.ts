import type { Rows } from "../../state/rows.js";
import { failRunningBackups } from "./backups.js";
import type { DatabasesContext } from "./context.js";

type Database = Rows["databases"];

/** Virtual time after which a failed deletion or change is retried. */
const RETRY_MS = 10_000;

/** Carries out a due transition, and then shows it. */
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
      // The database keeps its data and works as before.
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
  // It may have been deleted, or changed by control, while the work ran.
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

/** Keeps the status of a database whose deletion or change failed, adds the reason, and schedules a retry. */
function retryLater(context: DatabasesContext, id: string, error: unknown): void {
  const database = context.store.tables.databases.get(id);
  if (database === undefined) return;
  const isDeleting = database.status === "deleting";
  // Control may have changed it while the work ran.
  if (!isDeleting && database.pending === undefined) return;
  // While the clock is being moved, nothing real changes, so retry at the end of the move.
  const dueAt = Math.max(context.clock.now() + RETRY_MS, context.clock.destination);
  const status_reason = reasonOf(error, isDeleting ? "deleted" : "changed");
  context.store.write(database.tenant, (transaction) =>
    transaction.put("databases", { ...database, status_reason, dueAt }),
  );
}

/** Removes a database and its schedule from the state. Its backups remain until they expire. */
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
