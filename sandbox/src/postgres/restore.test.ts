// @module-tag slow

import { readFile, writeFile } from "node:fs/promises";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, apiClientFor } from "../../test/api-client.js";
import { createDatabase, createScheduled, nextBackup, schedule } from "../../test/backups.js";
import { buildCommand } from "../../test/command.js";
import { content, readContent } from "../../test/database-content.js";
import { sql, startWithPostgres } from "../../test/postgres.js";
import type { Sandbox } from "../index.js";

// The thread that dumps starts from the compiled file.
beforeAll(buildCommand, 120_000);

describe("a restored dump of a real PostgreSQL database", { timeout: 120_000 }, () => {
  let sandbox: Sandbox;
  let call: ApiClient;
  beforeAll(async () => {
    ({ sandbox, call } = await startWithPostgres());
    sandbox.clock.freeze(new Date("2030-01-01T12:00:00Z"));
  }, 120_000);
  afterEach(() => sandbox.reset("local"));
  afterAll(() => sandbox.close());

  test("a dump restores everything, in the same database or in another", async () => {
    const source = await createScheduled(call);
    await sql(source.uri, ...content);
    const backup = await nextBackup(sandbox, source.id);
    expect(backup).toMatchObject({ status: "completed", simulated: false, reason: undefined });
    const expected = await readContent(source.uri);

    const other = await createDatabase(call);
    await sql(other.uri, "CREATE TABLE in_the_way (id int)");
    await sandbox.restoreBackup(backup.backup_id, { into: other.id });
    expect(await readContent(other.uri)).toEqual(expected);
    await expect(sql(other.uri, "SELECT * FROM in_the_way")).rejects.toThrow(/does not exist/);
    await expect(sql(other.uri, "INSERT INTO child (parent_id) VALUES (99)")).rejects.toThrow(/foreign key/);
    expect(
      await sql(
        other.uri,
        "SELECT current_user = pg_get_userbyid(relowner) AS mine FROM pg_class WHERE relname = 'parent'",
      ),
    ).toEqual([{ mine: true }]);

    // The strictest comparison: what came back is dumped as the same text.
    const again = await createDatabase(call);
    await sandbox.restoreBackup(backup.backup_id, { into: again.id });
    await call("PUT", `/databases/${again.id}/backup-schedule`, schedule);
    const copy = await nextBackup(sandbox, again.id);
    const [text, same] = await Promise.all([backup, copy].map(({ dump }) => readFile(dump ?? "", "utf8")));
    expect(same === text).toBe(true);

    await sql(source.uri, "DROP TABLE parent CASCADE", "DELETE FROM wide");
    const inside = new Client({ connectionString: source.uri });
    inside.on("error", () => {});
    await inside.connect();
    await sandbox.restoreBackup(backup.backup_id);
    await expect(inside.query("SELECT 1")).rejects.toThrow();
    await inside.end().catch(() => {});
    expect(await readContent(source.uri)).toEqual(expected);
  });

  test("a dump that fails to load leaves the database unchanged", async () => {
    const source = await createScheduled(call);
    await sql(source.uri, "CREATE TABLE kept AS SELECT 7 AS n");
    const { backup_id, dump } = await nextBackup(sandbox, source.id);
    await writeFile(dump ?? "", "CREATE TABLE a (id int);\nINSERT INTO nowhere VALUES (1);\n");
    await expect(sandbox.restoreBackup(backup_id)).rejects.toThrow(/nowhere/);
    expect(await sql(source.uri, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
    await writeFile(dump ?? "", "RESET SESSION AUTHORIZATION; CREATE ROLE intruder SUPERUSER;");
    await expect(sandbox.restoreBackup(backup_id)).rejects.toThrow(/permission denied/);
    await writeFile(dump ?? "", "RESET ROLE; CREATE SCHEMA mine; RESET SESSION AUTHORIZATION;");
    await expect(sandbox.restoreBackup(backup_id)).rejects.toThrow(/permission denied|depend on it/);
    await writeFile(dump ?? "", "RESET ROLE; ALTER ROLE CURRENT_USER LOGIN PASSWORD 'known';");
    await expect(sandbox.restoreBackup(backup_id)).rejects.toThrow(/permission denied|must have/);
    expect(await sql(source.uri, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
    expect(
      await sql(source.uri, "SELECT count(*)::int AS n FROM pg_database WHERE datname ~ '_(new|old)$'"),
    ).toEqual([{ n: 0 }]);
  });

  test.each([
    {
      what: "a check that reads another table",
      made: [
        "CREATE TABLE zones (name text)",
        "CREATE FUNCTION is_zone(text) RETURNS boolean LANGUAGE sql AS 'SELECT EXISTS (SELECT FROM zones WHERE name = $1)'",
        "CREATE TABLE a_host (zone text CHECK (is_zone(zone)))",
        "INSERT INTO zones VALUES ('eu')",
        "INSERT INTO a_host VALUES ('eu')",
      ],
      reason: 'relation "zones" does not exist',
    },
    {
      what: "a materialized view over a table whose owner sees only some rows",
      made: [
        "CREATE TABLE t (n int)",
        "CREATE MATERIALIZED VIEW m AS SELECT * FROM t",
        "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE t FORCE ROW LEVEL SECURITY",
      ],
      reason: 'query would be affected by row-level security policy for table "t"',
    },
  ])(
    "a dump with $what cannot be restored, and the error shows PostgreSQL's reason",
    async ({ made: things, reason }) => {
      const source = await createScheduled(call);
      await sql(source.uri, "CREATE TABLE kept AS SELECT 7 AS n", ...things);
      const { backup_id } = await nextBackup(sandbox, source.id);
      const url = `${sandbox.url}/_sandbox/backups/${backup_id}/restore`;
      const answer = await fetch(url, { method: "POST" });
      expect([answer.status, await answer.json()]).toEqual([
        409,
        {
          error: {
            code: "CONFLICT",
            message: `The backup "${backup_id}" was not restored into "${source.id}", and nothing was changed: ${reason}`,
          },
        },
      ]);
      expect(await sql(source.uri, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
    },
  );

  test("a database that is removed during its restoration is removed afterwards", async () => {
    const source = await createScheduled(call);
    await sql(source.uri, "CREATE TABLE t AS SELECT generate_series(1, 20000) AS n");
    const { backup_id } = await nextBackup(sandbox, source.id);
    const into = await createDatabase(call);
    const restoring = sandbox.restoreBackup(backup_id, { into: into.id });
    await Promise.all([restoring, sandbox.remove(into.id)]);
    const removing = sandbox.remove(source.id);
    await expect(sandbox.restoreBackup(backup_id)).rejects.toThrow(/no database/);
    await removing;
    expect(sandbox.resources("local").filter(({ kind }) => kind === "Database")).toEqual([]);
  });

  test("a restoration succeeds while clients keep reconnecting, also over the pool", async () => {
    const source = await createDatabase(call, { enable_connection_pool: true });
    await call("PUT", `/databases/${source.id}/backup-schedule`, schedule);
    await sql(source.uri, "CREATE TABLE t AS SELECT 1 AS n");
    const { backup_id } = await nextBackup(sandbox, source.id);
    const { data } = await call("GET", `/databases/${source.id}`);
    const uris: string[] = [source.uri, Object(data).pool_uri];
    let isOver = false;
    const guests = uris.map(async (uri) => {
      while (!isOver) await sql(uri, "SELECT pg_sleep(0.01)").catch(() => {});
    });
    await sql(source.uri, "UPDATE t SET n = 2");
    await sandbox.restoreBackup(backup_id);
    isOver = true;
    await Promise.all(guests);
    for (const uri of uris) expect(await sql(uri, "SELECT n FROM t")).toEqual([{ n: 1 }]);
  });

  test("a restoration succeeds at the connection limit and with the owner's settings", async () => {
    const source = await createScheduled(call);
    await sql(
      source.uri,
      "CREATE TABLE t AS SELECT 1 AS n, current_user AS owner",
      "CREATE MATERIALIZED VIEW m AS SELECT current_user AS owner",
    );
    const { backup_id } = await nextBackup(sandbox, source.id);
    await sql(
      source.uri,
      "UPDATE t SET n = 2",
      "ALTER ROLE CURRENT_USER SET default_transaction_read_only = on",
    );
    const guests = Array.from({ length: 100 }, () => new Client({ connectionString: source.uri }));
    for (const guest of guests) guest.on("error", () => {});
    await Promise.all(guests.map((guest) => guest.connect()));
    await expect(sql(source.uri, "SELECT 1")).rejects.toThrow(/too many connections/);
    await sandbox.restoreBackup(backup_id);
    await Promise.all(guests.map((guest) => guest.end().catch(() => {})));
    expect(
      await sql(
        source.uri,
        "SELECT n, owner = current_user AS mine, (SELECT owner FROM m) = current_user AS whole FROM t",
      ),
    ).toEqual([{ n: 1, mine: true, whole: true }]);
    expect(await sql(source.uri, "SELECT rolname FROM pg_roles WHERE rolname ~ '_loader$'")).toEqual([]);
  });

  test("a dump with other settings loads correctly or is rejected", async () => {
    const source = await createScheduled(call);
    await sql(source.uri, "CREATE TABLE t AS SELECT 'kept' AS text");
    const { backup_id, dump } = await nextBackup(sandbox, source.id);
    const written =
      "-- doubled\nSET standard_conforming_strings = off;\nCREATE TABLE t AS SELECT 'C:\\\\new' AS text;\n";
    await writeFile(dump ?? "", written);
    await sandbox.restoreBackup(backup_id);
    expect(await sql(source.uri, "SELECT text FROM t")).toEqual([{ text: "C:\\new" }]);
    const latin = "SET client_encoding = 'LATIN1';\nCREATE TABLE t AS SELECT 'caf\u00e9' AS text;\n";
    await writeFile(dump ?? "", latin, "latin1");
    await expect(sandbox.restoreBackup(backup_id)).rejects.toThrow(/LATIN1.*UTF8.*psql/s);
    expect(await sql(source.uri, "SELECT text FROM t")).toEqual([{ text: "C:\\new" }]);
  });

  test("another tenant's database and a simulated one cannot be restored into", async () => {
    const source = await createScheduled(call);
    const { backup_id } = await nextBackup(sandbox, source.id);
    const theirs = await createDatabase(apiClientFor(sandbox, "sandbox_other"));
    await expect(sandbox.restoreBackup(backup_id, { into: theirs.id })).rejects.toThrow(/no database/);
    const redis = await createDatabase(call, { engine: "redis", version: "7.2" });
    await expect(sandbox.restoreBackup(backup_id, { into: redis.id })).rejects.toThrow(/postgresql/);
    await expect(sandbox.restoreBackup("bk_none")).rejects.toThrow(/no backup/);
    const over = await fetch(`${sandbox.url}/_sandbox/backups/${backup_id}/restore`, { method: "POST" });
    expect(over.status).toBe(200);
  });
});
