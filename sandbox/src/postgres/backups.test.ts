// @module-tag slow

import { readdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ApiClient, apiClientFor, eventually } from "../../test/api-client.js";
import { createDatabase, createScheduled, DAY_MS, nextBackup, schedule } from "../../test/backups.js";
import { buildCommand } from "../../test/command.js";
import { temporaryFolder } from "../../test/folder.js";
import { sql, startWithPostgres } from "../../test/postgres.js";
import { type Sandbox, startSandbox } from "../index.js";

// The thread that dumps starts from the compiled file.
beforeAll(buildCommand, 120_000);

describe("backups of a real PostgreSQL database", { timeout: 120_000 }, () => {
  let sandbox: Sandbox;
  let call: ApiClient;
  beforeAll(async () => {
    ({ sandbox, call } = await startWithPostgres());
    sandbox.clock.freeze(new Date("2030-01-01T12:00:00Z"));
  }, 120_000);
  afterEach(() => sandbox.reset("local"));
  afterAll(() => sandbox.close());

  test("a backup is kept for its days, even after the schedule and the database are deleted", async () => {
    const source = await createScheduled(call, { retention_days: 2 });
    const first = await nextBackup(sandbox, source.id);
    const second = await nextBackup(sandbox, source.id);
    expect(Date.parse(first.expires_at ?? "")).toBe(Date.parse(first.ended_at ?? "") + 2 * DAY_MS);
    await call("DELETE", `/databases/${source.id}/backup-schedule`);
    await call("DELETE", `/databases/${source.id}`);
    const files = () => readdir(dirname(first.dump ?? ""));
    expect(await files()).toEqual(
      expect.arrayContaining([`${first.backup_id}.sql`, `${second.backup_id}.sql`]),
    );
    await expect(sandbox.snapshots.take("with dumps")).rejects.toThrow(/dumps of backups/);
    const rescue = await createDatabase(call);
    await sandbox.restoreBackup(second.backup_id, { into: rescue.id });
    await sandbox.clock.advance(DAY_MS);
    expect(sandbox.backups({ database: source.id })).toEqual([second]);
    expect(await files()).not.toContain(`${first.backup_id}.sql`);
    await sandbox.clock.advance(DAY_MS);
    expect(sandbox.backups({ database: source.id })).toEqual([]);
    expect(await files()).not.toContain(`${second.backup_id}.sql`);
  });

  test("advancing a year makes only the dumps that are left at its end", async () => {
    const source = await createScheduled(call, { retention_days: 3 });
    await sandbox.clock.advance(365 * DAY_MS);
    const left = sandbox.backups({ database: source.id });
    expect(left.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    // The numbers in the ids count what was made.
    const numbers = left.map(({ backup_id }) => Number.parseInt(backup_id.slice(3, 10), 36));
    expect((numbers[2] ?? 0) - (numbers[0] ?? 0)).toBe(2);
    expect(sandbox.clock.now() - Date.parse(left[0]?.started_at ?? "")).toBeLessThan(3 * DAY_MS);
  });
});

test("backups in a data folder outlive the sandbox, and unfinished files are deleted", {
  timeout: 120_000,
}, async () => {
  const data = await temporaryFolder();
  const options = { postgres: "real", data, provisioning: { databaseMs: 0 } } as const;
  const first = await startSandbox(options);
  first.clock.freeze(new Date("2030-01-01T12:00:00Z"));
  const source = await createDatabase(apiClientFor(first));
  await apiClientFor(first)("PUT", `/databases/${source.id}/backup-schedule`, schedule);
  await sql(source.uri, "CREATE TABLE kept AS SELECT 7 AS n");
  const backup = await nextBackup(first, source.id);
  await first.close();
  const folder = join(data, "backups");
  expect(await readdir(folder)).toEqual([`${backup.backup_id}.sql`]);
  await writeFile(join(folder, "bk_unknown.sql"), "");
  await writeFile(join(folder, `${backup.backup_id}.sql.unfinished`), "");

  const second = await startSandbox(options);
  onTestFinished(() => second.close());
  expect(second.backups()).toEqual([backup]);
  expect(await readdir(folder)).toEqual([`${backup.backup_id}.sql`]);
  const { data: shown } = await apiClientFor(second)("GET", `/databases/${source.id}`);
  await sql(Object(shown).connection_uri, "DROP TABLE kept");
  await second.restoreBackup(backup.backup_id);
  expect(await sql(Object(shown).connection_uri, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
  expect(await nextBackup(second, source.id)).toMatchObject({ status: "completed" });
});

test("dumps without a data folder are deleted with the sandbox", { timeout: 120_000 }, async () => {
  const sandbox = await startSandbox({ postgres: "real", provisioning: { databaseMs: 0 } });
  const source = await createDatabase(apiClientFor(sandbox));
  await apiClientFor(sandbox)("PUT", `/databases/${source.id}/backup-schedule`, schedule);
  const { dump } = await nextBackup(sandbox, source.id);
  expect((await stat(dump ?? "")).isFile()).toBe(true);
  await sandbox.close();
  await eventually(() => stat(dump ?? "").catch((error: unknown) => Object(error).code)).toBe("ENOENT");
});
