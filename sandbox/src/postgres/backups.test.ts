// @module-tag slow

import { execFile } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ApiClient, aDatabase, apiClientFor, eventually } from "../../test/api-client.js";
import { buildCommand } from "../../test/command.js";
import { temporaryFolder } from "../../test/folder.js";
import { type BackupRecord, type Sandbox, startSandbox } from "../index.js";

const run = promisify(execFile);

const hasPsql = await run("psql", ["--version"]).then(
  () => true,
  () => false,
);

// The thread that dumps starts from the compiled file.
beforeAll(buildCommand, 120_000);

const DAY_MS = 86_400_000;
const schedule = { frequency: "daily", hour_utc: 3, retention_days: 7, notify_on_complete: true };

interface Made {
  readonly id: string;
  readonly uri: string;
}

async function made(call: ApiClient, fields: object = {}): Promise<Made> {
  const { id, data } = await call("POST", "/databases", { ...aDatabase, ...fields });
  return { id, uri: Object(data).connection_uri };
}

/** Runs statements on a connection of their own; tells the rows of the last. */
async function sql(uri: string, ...statements: string[]): Promise<unknown[]> {
  const client = new Client({ connectionString: uri });
  client.on("error", () => {});
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** The database's next backup, which is made by moving to its hour. */
async function nextBackup(sandbox: Sandbox, database: string): Promise<BackupRecord> {
  const before = new Set(sandbox.backups({ database }).map(({ backup_id }) => backup_id));
  await sandbox.clock.advance(DAY_MS);
  const [backup] = sandbox.backups({ database }).filter(({ backup_id }) => !before.has(backup_id));
  if (!backup) throw new Error("no backup was made");
  return backup;
}

/** Everything that is hard to write down and to read back. */
const content = [
  "CREATE TABLE parent (id serial PRIMARY KEY, name text UNIQUE NOT NULL, note text)",
  `INSERT INTO parent (name, note) VALUES ('plain', E'two\\nlines\\tand \\\\ ''quotes'' "both"; -- none'), ('ü 漢字 🎉', NULL)`,
  "CREATE TABLE child (id bigint GENERATED ALWAYS AS IDENTITY, parent_id int NOT NULL REFERENCES parent (id) ON DELETE CASCADE, data bytea, f float8, j jsonb, at timestamptz)",
  "INSERT INTO child (parent_id, data, f, j, at) VALUES (1, '\\x00ff0a27', 1.0 / 3, '{\"a\": [1, null]}', '2030-01-01T00:00:00.123456Z'), (2, NULL, 'NaN', NULL, NULL)",
  "CREATE INDEX child_parent ON child (parent_id) WHERE data IS NOT NULL",
  "CREATE VIEW named AS SELECT c.id, p.name FROM child c JOIN parent p ON p.id = c.parent_id",
  "CREATE FUNCTION twice(a int) RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT a; SELECT CASE WHEN a > 0 THEN 2 * a END; END",
  "CREATE FUNCTION tangled() RETURNS text LANGUAGE plpgsql AS $x$ BEGIN RETURN 'a;b $$'; END $x$",
  'CREATE TABLE "odd;name" AS SELECT i, repeat(md5(i::text), 20) AS t FROM generate_series(1, 12345) i',
  // Longer than what libpq reads at once, many times over.
  "CREATE TABLE wide AS SELECT i, repeat(md5(i::text), 20000) AS t FROM generate_series(1, 40) i",
  "SELECT lo_from_bytea(4242, decode(repeat('00ff', 5000), 'hex'))",
  "SELECT setval('parent_id_seq', 41)",
  "CREATE TYPE mood AS ENUM ('glad', 'it''s; fine')",
  "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
  'CREATE SCHEMA "Other"',
  'CREATE TABLE "Other".event (at date NOT NULL, mood mood, n positive, twice int GENERATED ALWAYS AS (n * 2) STORED) PARTITION BY RANGE (at)',
  "CREATE TABLE \"Other\".event_2030 PARTITION OF \"Other\".event FOR VALUES FROM ('2030-01-01') TO ('2031-01-01')",
  "INSERT INTO \"Other\".event (at, mood, n) VALUES ('2030-05-01', 'it''s; fine', 7)",
  'CREATE MATERIALIZED VIEW totals AS SELECT count(*) AS n FROM "Other".event',
  "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.note := coalesce(NEW.note, 'noted;'); RETURN NEW; END $$",
  "CREATE TRIGGER noted BEFORE INSERT ON parent FOR EACH ROW EXECUTE FUNCTION note()",
  "ALTER TABLE child ENABLE ROW LEVEL SECURITY",
  "ALTER TABLE child FORCE ROW LEVEL SECURITY",
  "CREATE POLICY everybody ON child USING (true)",
  "CREATE RULE quiet AS ON DELETE TO named DO INSTEAD ( SELECT 1; SELECT 2; )",
  "CREATE EXTENSION hstore",
  "CREATE TABLE pairs AS SELECT hstore('a', NULL) || hstore('b', 'x=>y') AS pairs",
  "COMMENT ON TABLE parent IS E'first line;\\n-- second line'",
  "GRANT SELECT ON parent TO PUBLIC",
];

/** What a client sees of all that; `nextval` last, since it changes something. */
const questions = [
  "SELECT * FROM parent ORDER BY id",
  "SELECT id, parent_id, data, f, j::text, at::text FROM child ORDER BY id",
  "SELECT * FROM named ORDER BY id",
  "SELECT count(*), md5(string_agg(t, ',' ORDER BY i)) FROM \"odd;name\"",
  "SELECT count(*), sum(length(t)), md5(string_agg(t, ',' ORDER BY i)) FROM wide",
  "SELECT twice(21), tangled(), md5(lo_get(4242))",
  "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname",
  "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY conname",
  "SELECT nextval('parent_id_seq')",
];

async function seen(uri: string): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const question of questions) answers.push(await sql(uri, question));
  return answers;
}

describe("on a real PostgreSQL", { timeout: 120_000 }, () => {
  let sandbox: Sandbox;
  let call: ApiClient;
  beforeAll(async () => {
    sandbox = await startSandbox({ postgres: "real", provisioning: { databaseMs: 0 } });
    sandbox.clock.freeze(new Date("2030-01-01T12:00:00Z"));
    call = apiClientFor(sandbox);
  }, 120_000);
  afterEach(() => sandbox.reset("local"));
  afterAll(() => sandbox.close());

  async function scheduled(fields: object = {}): Promise<Made> {
    const database = await made(call);
    expect(
      (await call("PUT", `/databases/${database.id}/backup-schedule`, { ...schedule, ...fields })).status,
    ).toBe(200);
    return database;
  }

  test("a backup is a dump from which everything comes back, in the same database or in another", async () => {
    const source = await scheduled();
    await sql(source.uri, ...content);
    const backup = await nextBackup(sandbox, source.id);
    expect(backup).toMatchObject({ status: "completed", simulated: false, reason: undefined });
    const expected = await seen(source.uri);

    const other = await made(call);
    await sql(other.uri, "CREATE TABLE in_the_way (id int)");
    await sandbox.restoreBackup(backup.backup_id, { into: other.id });
    expect(await seen(other.uri)).toEqual(expected);
    await expect(sql(other.uri, "SELECT * FROM in_the_way")).rejects.toThrow(/does not exist/);
    await expect(sql(other.uri, "INSERT INTO child (parent_id) VALUES (99)")).rejects.toThrow(/foreign key/);
    expect(
      await sql(
        other.uri,
        "SELECT current_user = pg_get_userbyid(relowner) AS mine FROM pg_class WHERE relname = 'parent'",
      ),
    ).toEqual([{ mine: true }]);

    // The strictest comparison: what came back is dumped as the same text.
    const again = await made(call);
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
    expect(await seen(source.uri)).toEqual(expected);
  });

  test.runIf(hasPsql)("psql takes the dump without a complaint", async () => {
    const source = await scheduled();
    await sql(source.uri, ...content);
    const { dump } = await nextBackup(sandbox, source.id);
    const target = await made(call);
    const flags = ["-q", "-v", "ON_ERROR_STOP=1", "-f", dump ?? ""];
    expect((await run("psql", [target.uri, ...flags])).stderr).toBe("");
    expect(await seen(target.uri)).toEqual(await seen(source.uri));
  });

  test("a dump is far larger than what passes at once, and is downloaded over HTTP", async () => {
    const source = await scheduled();
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

  test("each row is a statement of its own, since several large ones would make one that is too long", async () => {
    const source = await scheduled();
    await sql(
      source.uri,
      "CREATE TABLE t AS SELECT i, repeat('x', 100000) AS t FROM generate_series(1, 12) i",
    );
    const { dump } = await nextBackup(sandbox, source.id);
    expect((await readFile(dump ?? "", "utf8")).match(/^INSERT INTO public\.t VALUES/gm)).toHaveLength(12);
  });

  test("each is kept for its days, also when the schedule and the database are gone", async () => {
    const source = await scheduled({ retention_days: 2 });
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
    const rescue = await made(call);
    await sandbox.restoreBackup(second.backup_id, { into: rescue.id });
    await sandbox.clock.advance(DAY_MS);
    expect(sandbox.backups({ database: source.id })).toEqual([second]);
    expect(await files()).not.toContain(`${first.backup_id}.sql`);
    await sandbox.clock.advance(DAY_MS);
    expect(sandbox.backups({ database: source.id })).toEqual([]);
    expect(await files()).not.toContain(`${second.backup_id}.sql`);
  });

  test("a year passes with the dumps that are left at its end, and no others", async () => {
    const source = await scheduled({ retention_days: 3 });
    await sandbox.clock.advance(365 * DAY_MS);
    const left = sandbox.backups({ database: source.id });
    expect(left.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
    // The numbers in the ids count what was made.
    const numbers = left.map(({ backup_id }) => Number.parseInt(backup_id.slice(3, 10), 36));
    expect((numbers[2] ?? 0) - (numbers[0] ?? 0)).toBe(2);
    expect(sandbox.clock.now() - Date.parse(left[0]?.started_at ?? "")).toBeLessThan(3 * DAY_MS);
  });

  /** Somebody who keeps a table for themselves until they are ended. */
  async function locker(uri: string): Promise<Client> {
    await sql(uri, "CREATE TABLE busy (id int)");
    const client = new Client({ connectionString: uri });
    client.on("error", () => {});
    await client.connect();
    await client.query("BEGIN");
    await client.query("LOCK TABLE busy IN ACCESS EXCLUSIVE MODE");
    return client;
  }

  test("what cannot be read fails with PostgreSQL's own reason, and leaves no file", async () => {
    const source = await scheduled();
    const { dump } = await nextBackup(sandbox, source.id);
    const busy = await locker(source.uri);
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

  test("a dump that does not fit leaves the database as it was", async () => {
    const source = await scheduled();
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
    "PostgreSQL does not take a dump with $what, and its reason is told",
    async ({ made: things, reason }) => {
      const source = await scheduled();
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

  test("a database that is removed while it is restored is restored first, or is no longer there", async () => {
    const source = await scheduled();
    await sql(source.uri, "CREATE TABLE t AS SELECT generate_series(1, 20000) AS n");
    const { backup_id } = await nextBackup(sandbox, source.id);
    const into = await made(call);
    const restoring = sandbox.restoreBackup(backup_id, { into: into.id });
    await Promise.all([restoring, sandbox.remove(into.id)]);
    const removing = sandbox.remove(source.id);
    await expect(sandbox.restoreBackup(backup_id)).rejects.toThrow(/no database/);
    await removing;
    expect(sandbox.resources("local").filter(({ kind }) => kind === "Database")).toEqual([]);
  });

  test("a restoration finds a way past those who keep coming back, also over the pool", async () => {
    const source = await made(call, { enable_connection_pool: true });
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

  test("neither a full house nor the settings of its owner keep a database from being restored", async () => {
    const source = await scheduled();
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

  test("a database that is deleted while it is dumped: the dump ends, then the database", async () => {
    const source = await scheduled();
    const busy = await locker(source.uri);
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

  test("a backup that is removed while it is made leaves no dump", async () => {
    const source = await scheduled();
    const { dump } = await nextBackup(sandbox, source.id);
    const busy = await locker(source.uri);
    const moving = sandbox.clock.advance(DAY_MS);
    await eventually(() => sandbox.backups().map(({ status }) => status)).toEqual(["completed", "running"]);
    const reset = sandbox.reset("local");
    await busy.end();
    await Promise.all([reset, moving]);
    expect(sandbox.backups()).toEqual([]);
    await eventually(() => readdir(dirname(dump ?? ""))).toEqual([]);
  });

  test.each([
    { setting: "client_encoding = 'LATIN1'", value: "café" },
    { setting: "standard_conforming_strings = off", value: "C:\\new\\table's" },
    { setting: "bytea_output = 'escape'", value: "\\\\000" },
    { setting: "role = 'somebody'", value: "plain" },
  ])("what a database holds is dumped as it is, also with $setting", async ({ setting, value }) => {
    const source = await scheduled();
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

  test("a dump in another manner of writing is loaded as it is meant, or refused", async () => {
    const source = await scheduled();
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

  test("another tenant's database is not there to restore into, and a simulated one holds nothing", async () => {
    const source = await scheduled();
    const { backup_id } = await nextBackup(sandbox, source.id);
    const theirs = await made(apiClientFor(sandbox, "sandbox_other"));
    await expect(sandbox.restoreBackup(backup_id, { into: theirs.id })).rejects.toThrow(/no database/);
    const redis = await made(call, { engine: "redis", version: "7.2" });
    await expect(sandbox.restoreBackup(backup_id, { into: redis.id })).rejects.toThrow(/postgresql/);
    await expect(sandbox.restoreBackup("bk_none")).rejects.toThrow(/no backup/);
    const over = await fetch(`${sandbox.url}/_sandbox/backups/${backup_id}/restore`, { method: "POST" });
    expect(over.status).toBe(200);
  });
});

test("in a data folder, backups outlive the sandbox; what an interrupted one left goes", {
  timeout: 120_000,
}, async () => {
  const data = await temporaryFolder();
  const options = { postgres: "real", data, provisioning: { databaseMs: 0 } } as const;
  const first = await startSandbox(options);
  first.clock.freeze(new Date("2030-01-01T12:00:00Z"));
  const source = await made(apiClientFor(first));
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

test("in memory, the dumps go with the sandbox", { timeout: 120_000 }, async () => {
  const sandbox = await startSandbox({ postgres: "real", provisioning: { databaseMs: 0 } });
  const source = await made(apiClientFor(sandbox));
  await apiClientFor(sandbox)("PUT", `/databases/${source.id}/backup-schedule`, schedule);
  const { dump } = await nextBackup(sandbox, source.id);
  expect((await stat(dump ?? "")).isFile()).toBe(true);
  await sandbox.close();
  await eventually(() => stat(dump ?? "").catch((error: unknown) => Object(error).code)).toBe("ENOENT");
});
