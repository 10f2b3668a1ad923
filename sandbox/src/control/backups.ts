import { z } from "zod";
import type { ServicesContext } from "../services/context.js";
import { expiryOf, removeBackup } from "../services/databases/backups.js";
import { RestoreError } from "../services/databases/engine.js";
import type { Rows } from "../state/rows.js";
import { ControlError } from "./resources.js";

/** A backup of a database. Fields of the specification keep their spelling. */
export interface BackupRecord {
  readonly backup_id: string;
  readonly tenant: string;
  readonly database_id: string;
  readonly database_name: string;
  readonly status: "running" | "completed" | "failed";
  /** Why the backup failed. */
  readonly reason?: string | undefined;
  /** True for a simulated database, which has no dump. */
  readonly simulated: boolean;
  readonly started_at: string;
  /** When the backup completed or failed. */
  readonly ended_at?: string | undefined;
  /** When the backup is deleted. */
  readonly expires_at?: string | undefined;
  /** Size of the dump in bytes. */
  readonly bytes?: number | undefined;
  /** Path of the dump, in SQL: `psql <connection_uri> -f <dump>`. */
  readonly dump?: string | undefined;
}

const status = z.enum(["running", "completed", "failed"]);

/** Lists backups, oldest first. */
export function listBackups(
  context: ServicesContext,
  only: { database?: string; tenant?: string },
): BackupRecord[] {
  return [...context.store.tables.backups.all()]
    .filter(({ database_id }) => only.database === undefined || database_id === only.database)
    .filter(({ tenant }) => only.tenant === undefined || tenant === only.tenant)
    .map((row) => toRecord(context, row));
}

function toRecord(context: ServicesContext, row: Rows["backups"]): BackupRecord {
  return {
    backup_id: row.id,
    tenant: row.tenant,
    database_id: row.database_id,
    database_name: row.database_name,
    status: status.parse(row.status),
    reason: row.status_reason,
    simulated: row.simulated,
    started_at: row.started_at,
    ended_at: row.ended_at,
    expires_at: expiryOf(row),
    bytes: row.bytes,
    dump: dumpPath(context, row.id),
  };
}

/** Returns the path of a backup's dump, if it has one. */
function dumpPath(context: ServicesContext, id: string): string | undefined {
  const row = context.store.tables.backups.get(id);
  return row?.status === "completed" && !row.simulated ? context.dumps.path(id) : undefined;
}

/**
 * Restores a backup into its database or another one.
 * @throws ControlError where the backup, its dump or the database does not exist, or PostgreSQL rejects the dump.
 */
export async function restoreBackup(
  context: ServicesContext,
  id: string,
  into: string | undefined,
): Promise<void> {
  const { tables } = context.store;
  const backup = tables.backups.get(id);
  if (!backup) throw new ControlError(404, `There is no backup "${id}".`);
  const target = into ?? backup.database_id;
  if (dumpPath(context, id) === undefined) {
    const why = backup.simulated ? "its database is simulated" : `it is ${backup.status}`;
    throw new ControlError(400, `The backup "${id}" has no dump: ${why}.`);
  }
  await new Promise<void>((resolve, reject) => {
    const restore = () => {
      const database = tables.databases.owned(backup.tenant, target);
      if (!database) throw new ControlError(404, `There is no database "${target}" to restore into.`);
      if (database.status !== "ready" || database.engine !== "postgresql") {
        throw new ControlError(
          400,
          `A dump can only be restored into a ready postgresql database; "${target}" is not.`,
        );
      }
      return context.databaseEngine.restore(database, id);
    };
    const fail = (error: unknown) => {
      if (!(error instanceof RestoreError)) return reject(error);
      const what = `The backup "${id}" was not restored into "${target}", and nothing was changed`;
      reject(new ControlError(409, `${what}: ${error.message}`));
    };
    context.background.run(target, restore, resolve, fail);
  });
}

/** Deletes the backups of one tenant or of all, with their dumps. */
export async function removeBackups(context: ServicesContext, tenant: string | undefined): Promise<void> {
  for (const backup of [...context.store.tables.backups.all()]) {
    if (tenant === undefined || backup.tenant === tenant) await removeBackup(context, backup);
  }
}
