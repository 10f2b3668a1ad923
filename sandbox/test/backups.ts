import { Client } from "pg";
import { expect } from "vitest";
import type { BackupRecord, Sandbox } from "../src/index.js";
import { type ApiClient, aDatabase } from "./api-client.js";
import { sql } from "./postgres.js";

export const DAY_MS = 86_400_000;

export const schedule = { frequency: "daily", hour_utc: 3, retention_days: 7, notify_on_complete: true };

interface Made {
  readonly id: string;
  readonly uri: string;
}

/** Creates a database. */
export async function createDatabase(call: ApiClient, fields: object = {}): Promise<Made> {
  const { id, data } = await call("POST", "/databases", { ...aDatabase, ...fields });
  return { id, uri: Object(data).connection_uri };
}

/** Creates a database with a backup schedule. */
export async function createScheduled(call: ApiClient, fields: object = {}): Promise<Made> {
  const database = await createDatabase(call);
  expect(
    (await call("PUT", `/databases/${database.id}/backup-schedule`, { ...schedule, ...fields })).status,
  ).toBe(200);
  return database;
}

/** Advances the clock by a day and returns the database's new backup. */
export async function nextBackup(sandbox: Sandbox, database: string): Promise<BackupRecord> {
  const before = new Set(sandbox.backups({ database }).map(({ backup_id }) => backup_id));
  await sandbox.clock.advance(DAY_MS);
  const [backup] = sandbox.backups({ database }).filter(({ backup_id }) => !before.has(backup_id));
  if (!backup) throw new Error("no backup was made");
  return backup;
}

/** Opens a connection that holds a lock on a new table until it ends. */
export async function lockTable(uri: string): Promise<Client> {
  await sql(uri, "CREATE TABLE busy (id int)");
  const client = new Client({ connectionString: uri });
  client.on("error", () => {});
  await client.connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE busy IN ACCESS EXCLUSIVE MODE");
  return client;
}
