import { emit } from "../deliveries/deliver.js";
import { makeId } from "../identity.js";
import { nearestInstant, timestamp } from "../state/clock.js";
import type { Rows } from "../state/rows.js";
import type { World } from "../world.js";
import { DAY_MS, firstRun, hourOf, runOf } from "./backup-times.js";
import type { Dump } from "./engine.js";

type Backup = Rows["backups"];

/** In which states a database can be backed up. */
const usable = ["ready", "updating"];
const DELETED = "The database was deleted before it was backed up.";

/** The hour of a schedule has come: a backup begins, and the next is arranged. */
export function dueSchedule(world: World, schedule: Rows["schedules"]): void {
  const { clock, store } = world;
  const database = store.tables.databases.get(schedule.database_id);
  if (!database || schedule.dueAt === undefined) return;
  const now = clock.now();
  if (new Date(schedule.dueAt).getUTCHours() !== hourOf(schedule)) {
    // The hour was changed out of band.
    const dueAt = firstRun(schedule.hour_utc, now);
    store.write(schedule.tenant, (transaction) => transaction.put("schedules", { ...schedule, dueAt }));
    return;
  }
  const { isMade, next } = runOf(schedule, schedule.dueAt, now, clock.heading);
  const seq = store.tables.backups.nextSeq(schedule.tenant);
  store.write(schedule.tenant, (transaction) => {
    transaction.put("schedules", { ...schedule, dueAt: next });
    if (!isMade) return;
    transaction.put("backups", {
      id: makeId("bk", seq, world.random),
      tenant: schedule.tenant,
      seq,
      database_id: database.id,
      database_name: database.name,
      simulated: false,
      retention_days: schedule.retention_days,
      notify_on_complete: schedule.notify_on_complete,
      started_at: timestamp(now),
      status: "running",
      ...courseOf(world, database, now),
    });
  });
}

/** One backup of a database at a time: where the one before still runs, this one fails. */
function courseOf(world: World, database: Rows["databases"], now: number): Pick<Backup, "pending" | "dueAt"> {
  const earlier = world.store.tables.backups.find("database", database.id);
  if (earlier.some(({ status }) => status === "running")) {
    return { pending: { to: "failed", reason: "The backup before it is still running." }, dueAt: now };
  }
  return world.progressions.course("backup", database.tenant, "completed", now);
}

/** A backup is to be carried out, or its days are over. */
export function dueBackup(world: World, backup: Backup): void {
  if (backup.status !== "running") {
    world.works.run(
      backup.id,
      () => removeBackup(world, backup),
      () => {},
      // The file is found by the next start.
      () => {},
    );
    return;
  }
  const { pending } = backup;
  if (pending?.to === "failed") {
    end(world, backup.id, { status: "failed", status_reason: pending.reason });
    return;
  }
  let startedAt = 0;
  world.works.run(
    backup.database_id,
    () => {
      startedAt = performance.now();
      return dumpOf(world, backup);
    },
    (dump) => {
      // A dump takes real time, which virtual time may not show; nothing real goes on behind a simulated one.
      const real = dump === undefined ? 0 : performance.now() - startedAt;
      const virtual = world.clock.now() - Date.parse(backup.started_at);
      end(world, backup.id, {
        status: "completed",
        simulated: dump === undefined,
        bytes: dump?.bytes ?? 0,
        duration_seconds: Math.ceil(Math.max(real, virtual) / 1000),
      });
    },
    (error) => end(world, backup.id, { status: "failed", status_reason: reasonOf(error) }),
  );
}

/** With a database that is gone, what was under way for it has failed. */
export function abandonBackups(world: World, databaseId: string): void {
  for (const { id, status } of world.store.tables.backups.find("database", databaseId)) {
    if (status === "running") end(world, id, { status: "failed", status_reason: DELETED });
  }
}

function dumpOf(world: World, backup: Backup): Dump | undefined | Promise<Dump | undefined> {
  const database = world.store.tables.databases.get(backup.database_id);
  if (!database) throw new Error(DELETED);
  if (!usable.includes(database.status)) throw new Error(`The database is ${database.status}.`);
  return world.databases.dump(database, backup.id);
}

function end(world: World, id: string, outcome: Partial<Backup>): void {
  const { clock, store } = world;
  const running = store.tables.backups.get(id);
  if (running?.status !== "running") {
    // Removed meanwhile, so nobody owns its dump.
    world.dumps.remove(id).catch(() => {});
    return;
  }
  const now = clock.now();
  const backup = {
    ...running,
    pending: undefined,
    ...outcome,
    ended_at: timestamp(now),
    // Days that were set out of band may lead to where no date is.
    dueAt: nearestInstant(now + running.retention_days * DAY_MS),
  };
  store.write(backup.tenant, (transaction) => {
    transaction.put("backups", backup);
    if (backup.status === "failed")
      emit(world, transaction, backup.tenant, "database.backup.failed", failure(backup));
    else if (backup.notify_on_complete)
      emit(world, transaction, backup.tenant, "database.backup.completed", completion(backup));
  });
  // A disk that fails shows in the next answer.
  world.durable().catch(() => {});
}

/** Specification: "Backup (as carried in event data)". Assumed: megabytes and seconds are rounded up. */
function completion(backup: Backup) {
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
function failure({ id, database_id, database_name, status_reason, ended_at }: Backup) {
  return { backup_id: id, database_id, database_name, reason: status_reason, failed_at: ended_at };
}

/** When a backup that has ended is gone. */
export function expiryOf({ status, dueAt }: Backup): string | undefined {
  return status === "running" || dueAt === undefined ? undefined : timestamp(nearestInstant(dueAt));
}

/** Takes a backup out of the state, and only then its dump from the disk: no record names a dump that is gone. */
export async function removeBackup(world: World, { id, tenant }: Backup): Promise<void> {
  world.store.write(tenant, (transaction) => transaction.remove("backups", id));
  await world.durable();
  await world.dumps.remove(id);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "The database could not be backed up.";
}
