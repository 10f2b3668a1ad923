// @module-tag slow

import { readdir, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, eventually } from "../../test/api-client.js";
import { createDatabase, createScheduled, DAY_MS, lockTable, nextBackup } from "../../test/backups.js";
import { buildCommand } from "../../test/command.js";
import { content, readContent } from "../../test/database-content.js";
import { hasPsql, run, sql, startWithPostgres } from "../../test/postgres.js";
import type { Sandbox } from "../index.js";

// The thread that dumps starts from the compiled file.
beforeAll(buildCommand, 120_000);

describe("a dump of a real PostgreSQL database", { timeout: 120_000 }, () => {
  let sandbox: Sandbox;
  let call: ApiClient;
  beforeAll(async () => {
    ({ sandbox, call } = await startWithPostgres());
    sandbox.clock.freeze(new Date("2030-01-01T12:00:00Z"));
  }, 120_000);
  afterEach(() => sandbox.reset("local"));
  afterAll(() => sandbox.close());

  test.runIf(hasPsql)("psql reads the dump without errors", async () => {
    const source = await createScheduled(call);
    await sql(source.uri, ...content);
    const { dump } = await nextBackup(sandbox, source.id);
    const target = await createDatabase(call);
    const flags = ["-q", "-v", "ON_ERROR_STOP=1", "-f", dump ?? ""];
    expect((await run("psql", [target.uri, ...flags])).stderr).toBe("");
    expect(await readContent(target.uri)).toEqual(await readContent(source.uri));
  });

  test("a dump can be larger than any buffer, and is downloaded over HTTP", async () => {
    const source = await createScheduled(call);
    // More replies of more than 16 kB than the program's own socket would bear.
    await sql(
      source.uri,
      "CREATE TABLE t AS SELECT i, repeat(md5(i::text), 8) AS t FROM generate_series(1, 120000) i",
    );
    const { dump, bytes, backup_id } = await nextBackup(sandbox, source.id);
    expect(bytes).toBeGreaterThan(30_000_000);
    expect((await stat(dump ?? "")).size).toBe(bytes);
    const response = await fetch(`${sandbox.url}/_sandbox/backups/${backup_id}/dump`);
    const text = await response.text();
    expect(text === (await readFile(dump ?? "", "utf8"))).toBe(true);
    expect(text.trimEnd().endsWith("-- PostgreSQL database dump complete\n--")).toBe(true);
    expect((await fetch(`${sandbox.url}/_sandbox/backups/bk_none/dump`)).status).toBe(404);
  });

  test("each row is one statement, because several large ones would be too long", async () => {
    const source = await createScheduled(call);
    await sql(
      source.uri,
      "CREATE TABLE t AS SELECT i, repeat('x', 100000) AS t FROM generate_series(1, 12) i",
    );
    const { dump } = await nextBackup(sandbox, source.id);
    expect((await readFile(dump ?? "", "utf8")).match(/^INSERT INTO public\.t VALUES/gm)).toHaveLength(12);
  });

  test("a dump that cannot read a table fails with PostgreSQL's reason and leaves no file", async () => {
    const source = await createScheduled(call);
    const { dump } = await nextBackup(sandbox, source.id);
    const busy = await lockTable(source.uri);
    const backup = await nextBackup(sandbox, source.id);
    await busy.end();
    expect(backup).toMatchObject({
      status: "failed",
      reason: expect.stringMatching(/canceling statement/),
      dump: undefined,
    });
    expect((await readdir(dirname(dump ?? ""))).filter((name) => name.includes(backup.backup_id))).toEqual(
      [],
    );
    expect(await nextBackup(sandbox, source.id)).toMatchObject({ status: "completed" });
  });

  test.each([
    { setting: "client_encoding = 'LATIN1'", value: "café" },
    { setting: "standard_conforming_strings = off", value: "C:\\new\\table's" },
    { setting: "bytea_output = 'escape'", value: "\\\\000" },
    { setting: "role = 'somebody'", value: "plain" },
  ])("a dump preserves the content with $setting", async ({ setting, value }) => {
    const source = await createScheduled(call);
    const [names] = await sql(source.uri, "SELECT current_database() AS database, current_user AS owner");
    const { database, owner } = Object(names);
    await sql(
      source.uri,
      "CREATE TABLE t (text text, bytes bytea)",
      "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
      "ALTER TABLE t FORCE ROW LEVEL SECURITY",
      "CREATE POLICY everybody ON t USING (true)",
      `ALTER DATABASE ${database} SET ${setting.replace("somebody", owner)}`,
    );
    const client = new Client({ connectionString: source.uri });
    await client.connect();
    await client.query("INSERT INTO t VALUES ($1, convert_to($1, 'UTF8'))", [value]);
    await client.end();
    const held = () => sql(source.uri, "SELECT text, encode(bytes, 'hex') AS bytes FROM t");
    const before = await held();
    expect(before).toEqual([{ text: value, bytes: Buffer.from(value).toString("hex") }]);
    const backup = await nextBackup(sandbox, source.id);
    expect(backup).toMatchObject({ status: "completed" });
    await sandbox.restoreBackup(backup.backup_id);
    expect(await held()).toEqual(before);
  });

  test("a database that is deleted during its dump is dropped after the dump ends", async () => {
    const source = await createScheduled(call);
    const busy = await lockTable(source.uri);
    const moving = sandbox.clock.advance(DAY_MS);
    const status = () => sandbox.backups({ database: source.id })[0]?.status;
    await eventually(status).toBe("running");
    const deletion = call("DELETE", `/databases/${source.id}`);
    await eventually(async () => Object((await call("GET", `/databases/${source.id}`)).data).status).toBe(
      "deleting",
    );
    await busy.end();
    await Promise.all([deletion, moving]);
    expect(status()).toBe("completed");
    expect((await call("GET", `/databases/${source.id}`)).status).toBe(404);
  });

  test("a backup that is removed while it runs leaves no dump", async () => {
    const source = await createScheduled(call);
    const { dump } = await nextBackup(sandbox, source.id);
    const busy = await lockTable(source.uri);
    const moving = sandbox.clock.advance(DAY_MS);
    await eventually(() => sandbox.backups().map(({ status }) => status)).toEqual(["completed", "running"]);
    const reset = sandbox.reset("local");
    await busy.end();
    await Promise.all([reset, moving]);
    expect(sandbox.backups()).toEqual([]);
    await eventually(() => readdir(dirname(dump ?? ""))).toEqual([]);
  });
});
