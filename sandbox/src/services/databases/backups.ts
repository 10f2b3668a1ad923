import { makeId } from "../../core/ids.js";
import { DAY_MS, firstRun, hourOf, planRun } from "../../core/recurrence.js";
import { nearestInstant, timestamp } from "../../state/clock.js";
import type { Rows } from "../../state/rows.js";
import { emitEvent } from "../webhooks/deliveries.js";
import type { DatabasesContext } from "./context.js";
import type { Dump } from "./engine.js";

type Backup = Rows["backups"];

/** Statuses in which a database can be backed up. */
const usable = ["ready", "updating"];
const DELETED = "The database was deleted before it was backed up.";

/** Starts the backup of a due schedule and plans the next run. */
export function runSchedule(context: DatabasesContext, schedule: Rows["schedules"]): void {
  const { clock, store } = context;
  const database = store.tables.databases.get(schedule.database_id);
  if (!database || schedule.dueAt === undefined) return;
  const now = clock.now();
  if (new Date(schedule.dueAt).getUTCHours() !== hourOf(schedule)) {
    // Control has changed the hour.
    const dueAt = firstRun(schedule.hour_utc, now);
    store.write(schedule.tenant, (transaction) => transaction.put("schedules", { ...schedule, dueAt }));
    return;
  }
  const { isDue, next } = planRun(schedule, schedule.dueAt, now, clock.destination);
  const seq = store.tables.backups.nextSeq(schedule.tenant);
  store.write(schedule.tenant, (transaction) => {
    transaction.put("schedules", { ...schedule, dueAt: next });
    if (!isDue) return;
    transaction.put("backups", {
      id: makeId("bk", seq, context.random),
      tenant: schedule.tenant,
      seq,
      database_id: database.id,
      database_name: database.name,
      simulated: false,
      retention_days: schedule.retention_days,
      notify_on_complete: schedule.notify_on_complete,
      started_at: timestamp(now),
      status: "running",
      ...firstTransition(context, database, now),
    });
  });
}

/** Starts one backup per database at a time: while the previous one runs, this one fails. */
function firstTransition(
  context: DatabasesContext,
  database: Rows["databases"],
  now: number,
): Pick<Backup, "pending" | "dueAt"> {
  const earlier = context.store.tables.backups.find("database", database.id);
  if (earlier.some(({ status }) => status === "running")) {
    return { pending: { to: "failed", reason: "The previous backup is still running." }, dueAt: now };
  }
  return context.progressions.begin("backup", database.tenant, "completed", now);
}

/** Runs a due backup, or deletes an expired one. */
export function runOrExpireBackup(context: DatabasesContext, backup: Backup): void {
  if (backup.status !== "running") {
    context.background.run(
      backup.id,
      () => removeBackup(context, backup),
      () => {},
      // The next start deletes the file.
      () => {},
    );
    return;
  }
  const { pending } = backup;
  if (pending?.to === "failed") {
    endBackup(context, backup.id, { status: "failed", status_reason: pending.reason });
    return;
  }
  let startedAt = 0;
  context.background.run(
    backup.database_id,
    () => {
      startedAt = performance.now();
      return dumpDatabase(context, backup);
    },
    (dump) => {
      // A dump takes real time, even if the virtual clock stands still. A simulated one takes none.
      const real = dump === undefined ? 0 : performance.now() - startedAt;
      const virtual = context.clock.now() - Date.parse(backup.started_at);
      endBackup(context, backup.id, {
        status: "completed",
        simulated: dump === undefined,
        bytes: dump?.bytes ?? 0,
        duration_seconds: Math.ceil(Math.max(real, virtual) / 1000),
      });
    },
    (error) => endBackup(context, backup.id, { status: "failed", status_reason: reasonOf(error) }),
  );
}

/** Fails the running backups of a deleted database. */
export function failRunningBackups(context: DatabasesContext, databaseId: string): void {
  for (const { id, status } of context.store.tables.backups.find("database", databaseId)) {
    if (status === "running") endBackup(context, id, { status: "failed", status_reason: DELETED });
  }
}

function dumpDatabase(
  context: DatabasesContext,
  backup: Backup,
): Dump | undefined | Promise<Dump | undefined> {
  const database = context.store.tables.databases.get(backup.database_id);
  if (!database) throw new Error(DELETED);
  if (!usable.includes(database.status)) throw new Error(`The database is ${database.status}.`);
  return context.databaseEngine.dump(database, backup.id);
}

function endBackup(context: DatabasesContext, id: string, outcome: Partial<Backup>): void {
  const { clock, store } = context;
  const running = store.tables.backups.get(id);
  if (running?.status !== "running") {
    // The backup was deleted meanwhile, so its dump is orphaned.
    context.dumps.remove(id).catch(() => {});
    return;
  }
  const now = clock.now();
  const backup = {
    ...running,
    pending: undefined,
    ...outcome,
    ended_at: timestamp(now),
    // Control can set days beyond the last valid date.
    dueAt: nearestInstant(now + running.retention_days * DAY_MS),
  };
  store.write(backup.tenant, (transaction) => {
    transaction.put("backups", backup);
    if (backup.status === "failed")
      emitEvent(context, transaction, backup.tenant, "database.backup.failed", failedData(backup));
    else if (backup.notify_on_complete)
      emitEvent(context, transaction, backup.tenant, "database.backup.completed", completedData(backup));
  });
  // The next response reports a failing disk.
  context.durable().catch(() => {});
}

/** Specification: "Backup (as carried in event data)". Assumed: megabytes and seconds are rounded up. */
function completedData(backup: Backup) {
  return {
    backup_id: backup.id,
    database_id: backup.database_id,
    database_name: backup.database_name,
    size_mb: Math.ceil((backup.bytes ?? 0) / 1_000_000),
    duration_seconds: backup.duration_seconds ?? 0,
    completed_at: backup.ended_at,
    download_url_expires_at: expiryOf(backup),
  };
}

/** Assumed: the specification does not show the data of a failed backup. */
function failedData({ id, database_id, database_name, status_reason, ended_at }: Backup) {
  return { backup_id: id, database_id, database_name, reason: status_reason, failed_at: ended_at };
}

/** Returns when a finished backup is deleted. */
export function expiryOf({ status, dueAt }: Backup): string | undefined {
  return status === "running" || dueAt === undefined ? undefined : timestamp(nearestInstant(dueAt));
}

/** Deletes a backup's record first and then its dump, so that no record refers to a missing dump. */
export async function removeBackup(context: DatabasesContext, { id, tenant }: Backup): Promise<void> {
  context.store.write(tenant, (transaction) => transaction.remove("backups", id));
  await context.durable();
  await context.dumps.remove(id);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "The database could not be backed up.";
}
