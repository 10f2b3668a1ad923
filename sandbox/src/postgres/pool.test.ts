// @module-tag slow

import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, aDatabase, eventually } from "../../test/api-client.js";
import { databaseOf, firstValue, hasPsql, openClient, run, startWithPostgres } from "../../test/postgres.js";
import type { Sandbox } from "../sandbox.js";

describe("the pooled address", { timeout: 120_000 }, () => {
  let sandbox: Sandbox;
  let call: ApiClient;
  beforeAll(async () => {
    ({ sandbox, call } = await startWithPostgres());
  }, 120_000);
  afterAll(() => sandbox.close());
  const pooled = { ...aDatabase, enable_connection_pool: true };
  test("every client has its own session, and every response reaches its client", async () => {
    const { connection_uri, pool_uri, username } = databaseOf(
      (await call("POST", "/databases", pooled)).data,
    );
    expect(new URL(pool_uri).host).not.toBe(new URL(connection_uri).host);
    const clients = await Promise.all(Array.from({ length: 40 }, () => openClient(pool_uri)));
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
    expect(await firstValue(connection_uri, count)).toBe(40);
    await Promise.all(clients.map((client) => client.end()));
    await eventually(() => firstValue(connection_uri, count)).toBe(0);
  });

  test("the plan's limit counts direct and pooled connections together", async () => {
    const { connection_uri, pool_uri } = databaseOf((await call("POST", "/databases", pooled)).data);
    const uris = Array.from({ length: 100 }, (_, index) => (index % 2 ? connection_uri : pool_uri));
    const clients = await Promise.all(uris.map(openClient));
    await expect(openClient(pool_uri)).rejects.toMatchObject({
      code: "53300",
      message: expect.stringContaining("too many connections for role"),
    });
    await clients[0]?.end();
    await eventually(() => firstValue(pool_uri, "SELECT 1")).toBe(1);
    await Promise.all(clients.slice(1).map((client) => client.end()));
  });

  test("a session keeps what it prepares and sets beside many others", async () => {
    const { pool_uri } = databaseOf((await call("POST", "/databases", pooled)).data);
    const clients = await Promise.all(Array.from({ length: 25 }, () => openClient(pool_uri)));
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

  test("startup parameters reach the server", async () => {
    const { pool_uri } = databaseOf((await call("POST", "/databases", pooled)).data);
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

  test.runIf(hasPsql)("psql connects with all its parameters and with channel binding", async () => {
    const { pool_uri } = databaseOf((await call("POST", "/databases", pooled)).data);
    const env = { ...process.env, PGCLIENTENCODING: "LATIN1", PGOPTIONS: "-c DateStyle=German" };
    const uri = `${pool_uri}&channel_binding=require&application_name=the%20app`;
    const ask = ["-Atc", "SHOW client_encoding", "-c", "SHOW DateStyle", "-c", "SHOW application_name"];
    const { stdout } = await run("psql", [uri, ...ask], { env });
    expect(stdout.trim().split("\n")).toEqual(["LATIN1", "German, DMY", "the app"]);
  });

  test("an abandoned transaction is rolled back, and its session ends", async () => {
    const { pool_uri } = databaseOf((await call("POST", "/databases", pooled)).data);
    const [one, two] = [await openClient(pool_uri), await openClient(pool_uri)];
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

  test("large queries and results pass whole", async () => {
    const { pool_uri } = databaseOf((await call("POST", "/databases", pooled)).data);
    const client = await openClient(pool_uri);
    const text = "ü".repeat(3_000_000);
    expect((await client.query("SELECT $1::text AS text", [text])).rows[0].text === text).toBe(true);
    expect((await client.query("SELECT count(*)::int AS n FROM generate_series(1, 200000)")).rows[0].n).toBe(
      200_000,
    );
    expect((await client.query("SELECT generate_series(1, 100000) AS n")).rows).toHaveLength(100_000);
    await client.end();
  });

  test.runIf(hasPsql)("a query can be cancelled through the pool", async () => {
    const { connection_uri, pool_uri } = databaseOf((await call("POST", "/databases", pooled)).data);
    const psql = run("psql", [pool_uri, "-Atc", "SELECT pg_sleep(600)"]);
    const ended = psql.catch((error: unknown) => error);
    const sleeping =
      "SELECT count(*)::int FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'";
    await eventually(() => firstValue(connection_uri, sleeping)).toBe(1);
    psql.child.kill("SIGINT");
    expect(String(Object(await ended).stderr)).toMatch(/cancel/i);
  });

  test("a wrong password, no TLS and a database without a pool are rejected", async () => {
    const { id, pool_uri } = databaseOf((await call("POST", "/databases", pooled)).data);
    const wrong = new URL(pool_uri);
    wrong.password = "wrong";
    expect(await firstValue(wrong.href, "SELECT 1")).toMatch(/password authentication failed/);
    const plain = new URL(pool_uri);
    plain.search = "?sslmode=disable";
    expect(await firstValue(plain.href, "SELECT 1")).toMatch(/without TLS/);
    expect(await firstValue(pool_uri, "SELECT 1")).toBe(1);
    const inside = await openClient(pool_uri);
    await call("PATCH", `/databases/${id}`, { enable_connection_pool: false });
    await expect(inside.query("SELECT 1")).rejects.toThrow();
    expect(await firstValue(pool_uri, "SELECT 1")).toMatch(/password authentication failed/);
    await call("PATCH", `/databases/${id}`, { enable_connection_pool: true });
    expect(await firstValue(pool_uri, "SELECT 1")).toBe(1);
  });
});
