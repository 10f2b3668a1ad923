// @module-tag slow

import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type ApiClient, aDatabase, apiClientFor, eventually } from "../../test/api-client.js";
import { temporaryFolder } from "../../test/folder.js";
import { fixedPort } from "../../test/port.js";
import { type Sandbox, startSandbox } from "../sandbox.js";

const run = promisify(execFile);

const hasPsql = await run("psql", ["--version"]).then(
  () => true,
  () => false,
);

async function connected(uri: string): Promise<Client> {
  const client = new Client({ connectionString: uri });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Opens a connection, asks one thing, and closes it; tells the refusal where there is one. */
async function asked(uri: string, question: string): Promise<unknown> {
  const client = new Client({ connectionString: uri });
  client.on("error", () => {});
  try {
    await client.connect();
    return Object.values(Object((await client.query(question)).rows[0]))[0];
  } catch (error) {
    return error instanceof Error ? error.message : error;
  } finally {
    await client.end().catch(() => {});
  }
}

function made(data: unknown): {
  id: string;
  connection_uri: string;
  pool_uri: string;
  database: string;
  username: string;
} {
  return Object(data);
}

describe("real PostgreSQL", { timeout: 120_000 }, () => {
  let sandbox: Sandbox;
  let call: ApiClient;
  beforeAll(async () => {
    sandbox = await startSandbox({ postgres: "real", provisioning: { databaseMs: 0 } });
    call = apiClientFor(sandbox);
  }, 120_000);
  afterAll(() => sandbox.close());

  test("the connection address works as it stands: over TLS, checked, with its own role", async () => {
    const { data } = await call("POST", "/databases", aDatabase);
    expect(data).toMatchObject({ status: "ready", ssl_required: true });
    const { connection_uri, database, username } = made(data);
    expect(await asked(connection_uri, "SELECT current_database() || ' ' || current_user")).toBe(
      `${database} ${username}`,
    );
    expect(await asked(connection_uri, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")).toBe(
      true,
    );
    expect(await asked(connection_uri, "SHOW server_version")).toMatch(/^16\./);
    if (hasPsql)
      expect((await run("psql", [connection_uri, "-Atc", "SELECT 6 * 7"])).stdout.trim()).toBe("42");
  });

  test("a wrong password, no TLS, another's database and the sandbox's own role are refused", async () => {
    const mine = made((await call("POST", "/databases", aDatabase)).data);
    const theirs = made((await call("POST", "/databases", aDatabase)).data);
    const wrong = new URL(mine.connection_uri);
    wrong.password = "wrong";
    expect(await asked(wrong.href, "SELECT 1")).toMatch(/password authentication failed/);
    const plain = new URL(mine.connection_uri);
    plain.search = "?sslmode=disable";
    expect(await asked(plain.href, "SELECT 1")).toMatch(/no encryption/);
    const across = new URL(mine.connection_uri);
    across.pathname = `/${theirs.database}`;
    expect(await asked(across.href, "SELECT 1")).toMatch(/permission denied for database/);
    across.pathname = "/postgres";
    expect(await asked(across.href, "SELECT 1")).toMatch(/permission denied for database/);
    const admin = new URL(mine.connection_uri);
    admin.username = "sandbox_admin";
    expect(await asked(admin.href, "SELECT 1")).toMatch(/rejects connection/);
  });

  test("nobody learns from the server what others call their databases", async () => {
    const { connection_uri } = made((await call("POST", "/databases", aDatabase)).data);
    await call("POST", "/databases", { ...aDatabase, name: "project-falcon" });
    const names =
      "SELECT string_agg(name, ' ') FROM (SELECT datname AS name FROM pg_database UNION SELECT rolname FROM pg_roles) all_of_them";
    expect(await asked(connection_uri, names)).toMatch(/\bdb_\w{10}\b/);
    expect(await asked(connection_uri, names)).not.toMatch(/orders|falcon/);
  });

  test("the plan's connection limit holds, and a larger plan raises it", async () => {
    const { id, connection_uri } = made((await call("POST", "/databases", aDatabase)).data);
    const clients = await Promise.all(Array.from({ length: 100 }, () => connected(connection_uri)));
    expect(await asked(connection_uri, "SELECT 1")).toMatch(/too many connections for role/);
    await call("PATCH", `/databases/${id}`, { plan: "db-standard-2" });
    expect(await asked(connection_uri, "SELECT 1")).toBe(1);
    await Promise.all(clients.map((client) => client.end()));
  });

  test("a deleted database is really gone, even with somebody in it", async () => {
    const { id, connection_uri } = made((await call("POST", "/databases", aDatabase)).data);
    const inside = await connected(connection_uri);
    await inside.query("CREATE TABLE t AS SELECT 1");
    await call("DELETE", `/databases/${id}`);
    await expect(inside.query("SELECT * FROM t")).rejects.toThrow();
    expect(await asked(connection_uri, "SELECT 1")).toMatch(/password authentication failed/);
    expect((await call("GET", `/databases/${id}`)).status).toBe(404);
  });

  test("nothing that others do on the server keeps a database from being deleted", async () => {
    const bob = apiClientFor(sandbox, "sandbox_bob");
    const theirs = made((await bob("POST", "/databases", aDatabase)).data);
    const inside = await connected(theirs.connection_uri);
    const granted = async () => {
      const mine = made((await call("POST", "/databases", aDatabase)).data);
      await inside.query(`GRANT CONNECT ON DATABASE ${theirs.database} TO ${mine.username}`);
      return mine;
    };
    const first = await granted();
    const across = first.connection_uri.replace(`/${first.database}`, `/${theirs.database}`);
    const guest = await connected(across);
    expect((await call("DELETE", `/databases/${first.id}`)).status).toBe(200);
    expect((await call("GET", `/databases/${first.id}`)).status).toBe(404);
    await expect(guest.query("SELECT 1")).rejects.toThrow();
    await guest.end().catch(() => {});
    expect(await asked(across, "SELECT 1")).toMatch(/password authentication failed/);
    const leftOver = "SELECT count(*)::int FROM pg_roles WHERE rolname LIKE 'gone%'";
    expect(await asked(theirs.connection_uri, leftOver)).toBe(1);

    // Holds on to the role for as long as this transaction lasts.
    await inside.query("BEGIN");
    const second = await granted();
    await call("DELETE", `/databases/${second.id}`);
    expect((await call("GET", `/databases/${second.id}`)).status).toBe(404);
    await inside.query("ROLLBACK");

    await inside.query(`ALTER DATABASE ${theirs.database} IS_TEMPLATE true`);
    await inside.end();
    await bob("DELETE", `/databases/${theirs.id}`);
    expect((await bob("GET", `/databases/${theirs.id}`)).status).toBe(404);
    const { connection_uri } = made((await call("POST", "/databases", aDatabase)).data);
    expect(await asked(connection_uri, leftOver)).toBe(0);
  });

  describe("pooled", () => {
    const pooled = { ...aDatabase, enable_connection_pool: true };

    test("every client has a session of its own, and every answer reaches the one who asked", async () => {
      const { connection_uri, pool_uri, username } = made((await call("POST", "/databases", pooled)).data);
      expect(new URL(pool_uri).host).not.toBe(new URL(connection_uri).host);
      const clients = await Promise.all(Array.from({ length: 40 }, () => connected(pool_uri)));
      const answers = clients.map(async (client, index) => {
        const seen = [];
        for (let round = 0; round < 5; round++) {
          seen.push((await client.query("SELECT $1::int AS answer", [index * 10 + round])).rows[0].answer);
        }
        return seen;
      });
      expect(await Promise.all(answers)).toEqual(
        clients.map((_, i) => [0, 1, 2, 3, 4].map((round) => i * 10 + round)),
      );
      const count = `SELECT count(*)::int FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) WHERE usename = '${username}' AND ssl AND pid <> pg_backend_pid()`;
      expect(await asked(connection_uri, count)).toBe(40);
      await Promise.all(clients.map((client) => client.end()));
      await eventually(() => asked(connection_uri, count)).toBe(0);
    });

    test("the plan's limit holds for direct and pooled connections together, in PostgreSQL's words", async () => {
      const { connection_uri, pool_uri } = made((await call("POST", "/databases", pooled)).data);
      const uris = Array.from({ length: 100 }, (_, index) => (index % 2 ? connection_uri : pool_uri));
      const clients = await Promise.all(uris.map(connected));
      await expect(connected(pool_uri)).rejects.toMatchObject({
        code: "53300",
        message: expect.stringContaining("too many connections for role"),
      });
      await clients[0]?.end();
      await eventually(() => asked(pool_uri, "SELECT 1")).toBe(1);
      await Promise.all(clients.slice(1).map((client) => client.end()));
    });

    test("a session keeps what it prepares and sets, however many others there are", async () => {
      const { pool_uri } = made((await call("POST", "/databases", pooled)).data);
      const clients = await Promise.all(Array.from({ length: 25 }, () => connected(pool_uri)));
      await Promise.all(clients.map((client, n) => client.query(`SET my.number = '${n}'`)));
      const text = "SELECT $1::int + current_setting('my.number')::int AS sum";
      for (let round = 0; round < 40; round++) {
        const sums = clients.map((client) => client.query({ name: "cached", text, values: [round] }));
        expect((await Promise.all(sums)).map(({ rows }) => rows[0].sum)).toEqual(
          clients.map((_, n) => n + round),
        );
      }
      const [first, second] = clients;
      const count = "SELECT count(*)::int AS n FROM pg_prepared_statements WHERE name = 'cached'";
      expect((await first?.query(count))?.rows).toEqual([{ n: 1 }]);
      const heard = new Promise((resolve) => first?.once("notification", ({ payload }) => resolve(payload)));
      await first?.query("LISTEN news");
      await second?.query("NOTIFY news, 'hello'");
      expect(await heard).toBe("hello");
      await Promise.all(clients.map((client) => client.end()));
    });

    test("what a client says when it starts reaches the server", async () => {
      const { pool_uri } = made((await call("POST", "/databases", pooled)).data);
      const client = new Client({
        connectionString: pool_uri,
        application_name: "the app",
        options: "-c work_mem=7MB -c search_path=somewhere",
        statement_timeout: 4321,
      });
      await client.connect();
      const show = async (name: string) => Object.values((await client.query(`SHOW ${name}`)).rows[0])[0];
      expect(await show("application_name")).toBe("the app");
      expect(await show("work_mem")).toBe("7MB");
      expect(await show("search_path")).toBe("somewhere");
      expect(await show("statement_timeout")).toBe("4321ms");
      await client.end();
    });

    test.runIf(hasPsql)(
      "psql gets in with every parameter of its own, also bound to the certificate",
      async () => {
        const { pool_uri } = made((await call("POST", "/databases", pooled)).data);
        const env = { ...process.env, PGCLIENTENCODING: "LATIN1", PGOPTIONS: "-c DateStyle=German" };
        const uri = `${pool_uri}&channel_binding=require&application_name=the%20app`;
        const ask = ["-Atc", "SHOW client_encoding", "-c", "SHOW DateStyle", "-c", "SHOW application_name"];
        const { stdout } = await run("psql", [uri, ...ask], { env });
        expect(stdout.trim().split("\n")).toEqual(["LATIN1", "German, DMY", "the app"]);
      },
    );

    test("an abandoned transaction is rolled back, and no session leaks", async () => {
      const { pool_uri } = made((await call("POST", "/databases", pooled)).data);
      const [one, two] = [await connected(pool_uri), await connected(pool_uri)];
      await one.query("CREATE TABLE t (n int)");
      await one.query("BEGIN");
      await one.query("INSERT INTO t VALUES (1)");
      expect((await two.query("SELECT count(*)::int AS n FROM t")).rows[0].n).toBe(0);
      await one.query("COMMIT");
      expect((await two.query("SELECT count(*)::int AS n FROM t")).rows[0].n).toBe(1);
      await one.query("SET work_mem = '7MB'");
      await one.query("BEGIN");
      await one.query("DELETE FROM t");
      await one.end();
      expect((await two.query("SELECT count(*)::int AS n FROM t")).rows[0].n).toBe(1);
      for (let round = 0; round < 3; round++)
        expect((await two.query("SHOW work_mem")).rows[0].work_mem).not.toBe("7MB");
      await expect(two.query("SELECT nonsense")).rejects.toThrow(/nonsense/);
      expect((await two.query("SELECT 1 AS one")).rows[0].one).toBe(1);
      await two.end();
    });

    test("large answers and large questions pass whole", async () => {
      const { pool_uri } = made((await call("POST", "/databases", pooled)).data);
      const client = await connected(pool_uri);
      const text = "ü".repeat(3_000_000);
      expect((await client.query("SELECT $1::text AS text", [text])).rows[0].text === text).toBe(true);
      expect(
        (await client.query("SELECT count(*)::int AS n FROM generate_series(1, 200000)")).rows[0].n,
      ).toBe(200_000);
      expect((await client.query("SELECT generate_series(1, 100000) AS n")).rows).toHaveLength(100_000);
      await client.end();
    });

    test.runIf(hasPsql)("a query can be cancelled through the pool", async () => {
      const { connection_uri, pool_uri } = made((await call("POST", "/databases", pooled)).data);
      const psql = run("psql", [pool_uri, "-Atc", "SELECT pg_sleep(600)"]);
      const ended = psql.catch((error: unknown) => error);
      const sleeping =
        "SELECT count(*)::int FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'";
      await eventually(() => asked(connection_uri, sleeping)).toBe(1);
      psql.child.kill("SIGINT");
      expect(String(Object(await ended).stderr)).toMatch(/cancel/i);
    });

    test("a wrong password, no TLS and a database without a pool are refused", async () => {
      const { id, pool_uri } = made((await call("POST", "/databases", pooled)).data);
      const wrong = new URL(pool_uri);
      wrong.password = "wrong";
      expect(await asked(wrong.href, "SELECT 1")).toMatch(/password authentication failed/);
      const plain = new URL(pool_uri);
      plain.search = "?sslmode=disable";
      expect(await asked(plain.href, "SELECT 1")).toMatch(/without TLS/);
      expect(await asked(pool_uri, "SELECT 1")).toBe(1);
      const inside = await connected(pool_uri);
      await call("PATCH", `/databases/${id}`, { enable_connection_pool: false });
      await expect(inside.query("SELECT 1")).rejects.toThrow();
      expect(await asked(pool_uri, "SELECT 1")).toMatch(/password authentication failed/);
      await call("PATCH", `/databases/${id}`, { enable_connection_pool: true });
      expect(await asked(pool_uri, "SELECT 1")).toBe(1);
    });
  });

  test("other engines stay simulated and say so in their address", async () => {
    const { data } = await call("POST", "/databases", { ...aDatabase, engine: "redis", version: "7.2" });
    expect(Object(data).host).toMatch(/\.simulated\.invalid$/);
  });
});

test("data outlives the sandbox in its folder, at an address that works again", {
  timeout: 120_000,
}, async () => {
  const data = await temporaryFolder();
  const options = { postgres: "real", data, provisioning: { databaseMs: 0 } } as const;
  const first = await startSandbox(options);
  const { data: created, id } = await apiClientFor(first)("POST", "/databases", aDatabase);
  expect(
    await asked(made(created).connection_uri, "CREATE TABLE kept AS SELECT 7 AS n; SELECT 1"),
  ).not.toMatch(/error/);
  await first.close();
  const second = await startSandbox(options);
  onTestFinished(() => second.close());
  const { connection_uri } = made((await apiClientFor(second)("GET", `/databases/${id}`)).data);
  expect(await asked(connection_uri, "SELECT n FROM kept")).toBe(7);
});

test("whoever asks while the sandbox starts again sees databases with their addresses, or waits", {
  timeout: 120_000,
}, async () => {
  const data = await temporaryFolder();
  const port = await fixedPort();
  const options = { port, postgres: "real", data, provisioning: { databaseMs: 0 } } as const;
  const first = await startSandbox(options);
  const { id } = await apiClientFor(first)("POST", "/databases", aDatabase);
  await first.close();
  const starting = startSandbox(options);
  onTestFinished(async () => (await starting).close());
  const headers = { authorization: "Bearer sandbox_local" };
  const look = () => fetch(`http://127.0.0.1:${port}/v1/databases/${id}`, { headers });
  for (;;) {
    const response = await look().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (!response) continue;
    expect(await response.json()).toMatchObject({
      data: { status: "ready", host: "127.0.0.1", connection_uri: expect.any(String) },
    });
    return;
  }
});

test("where the server cannot run, a database fails with the reason, and can be deleted", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const postgresPort: number = Object(other.address()).port;
  const sandbox = await startSandbox({ postgres: "real", postgresPort, provisioning: { databaseMs: 0 } });
  onTestFinished(() => sandbox.close());
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/databases", aDatabase);
  expect(data).toMatchObject({
    status: "failed",
    status_reason: expect.stringMatching(/did not start.*in use/s),
  });
  expect(data).not.toHaveProperty("connection_uri");
  expect((await call("DELETE", `/databases/${id}`)).status).toBe(200);
  expect(sandbox.resources()).toEqual([]);
}, 60_000);

test("a sandbox without databases starts no server and leaves nothing behind", async () => {
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith("cloudservices-sandbox-"));
  const sandbox = await startSandbox({ postgres: "real" });
  await sandbox.close();
  const after = (await readdir(tmpdir())).filter((name) => name.startsWith("cloudservices-sandbox-"));
  expect(after.filter((name) => !before.includes(name))).toEqual([]);
});
