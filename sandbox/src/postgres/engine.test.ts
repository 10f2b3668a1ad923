// @module-tag slow

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, aDatabase, apiClientFor } from "../../test/api-client.js";
import { databaseOf, firstValue, hasPsql, openClient, run, startWithPostgres } from "../../test/postgres.js";
import type { Sandbox } from "../sandbox.js";

describe("a database on real PostgreSQL", { timeout: 120_000 }, () => {
  let sandbox: Sandbox;
  let call: ApiClient;
  beforeAll(async () => {
    ({ sandbox, call } = await startWithPostgres());
  }, 120_000);
  afterAll(() => sandbox.close());

  test("the connection address works unchanged, over verified TLS, with its own role", async () => {
    const { data } = await call("POST", "/databases", aDatabase);
    expect(data).toMatchObject({ status: "ready", ssl_required: true });
    const { connection_uri, database, username } = databaseOf(data);
    expect(await firstValue(connection_uri, "SELECT current_database() || ' ' || current_user")).toBe(
      `${database} ${username}`,
    );
    expect(await firstValue(connection_uri, "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")).toBe(
      true,
    );
    expect(await firstValue(connection_uri, "SHOW server_version")).toMatch(/^16\./);
    if (hasPsql)
      expect((await run("psql", [connection_uri, "-Atc", "SELECT 6 * 7"])).stdout.trim()).toBe("42");
  });

  test("a wrong password, no TLS, another's database and the sandbox's own role are rejected", async () => {
    const mine = databaseOf((await call("POST", "/databases", aDatabase)).data);
    const theirs = databaseOf((await call("POST", "/databases", aDatabase)).data);
    const wrong = new URL(mine.connection_uri);
    wrong.password = "wrong";
    expect(await firstValue(wrong.href, "SELECT 1")).toMatch(/password authentication failed/);
    const plain = new URL(mine.connection_uri);
    plain.search = "?sslmode=disable";
    expect(await firstValue(plain.href, "SELECT 1")).toMatch(/no encryption/);
    const across = new URL(mine.connection_uri);
    across.pathname = `/${theirs.database}`;
    expect(await firstValue(across.href, "SELECT 1")).toMatch(/permission denied for database/);
    across.pathname = "/postgres";
    expect(await firstValue(across.href, "SELECT 1")).toMatch(/permission denied for database/);
    const admin = new URL(mine.connection_uri);
    admin.username = "sandbox_admin";
    expect(await firstValue(admin.href, "SELECT 1")).toMatch(/rejects connection/);
  });

  test("the server does not reveal what others call their databases", async () => {
    const { connection_uri } = databaseOf((await call("POST", "/databases", aDatabase)).data);
    await call("POST", "/databases", { ...aDatabase, name: "project-falcon" });
    const names =
      "SELECT string_agg(name, ' ') FROM (SELECT datname AS name FROM pg_database UNION SELECT rolname FROM pg_roles) all_of_them";
    expect(await firstValue(connection_uri, names)).toMatch(/\bdb_\w{10}\b/);
    expect(await firstValue(connection_uri, names)).not.toMatch(/orders|falcon/);
  });

  test("the plan's connection limit holds, and a larger plan raises it", async () => {
    const { id, connection_uri } = databaseOf((await call("POST", "/databases", aDatabase)).data);
    const clients = await Promise.all(Array.from({ length: 100 }, () => openClient(connection_uri)));
    expect(await firstValue(connection_uri, "SELECT 1")).toMatch(/too many connections for role/);
    await call("PATCH", `/databases/${id}`, { plan: "db-standard-2" });
    expect(await firstValue(connection_uri, "SELECT 1")).toBe(1);
    await Promise.all(clients.map((client) => client.end()));
  });

  test("a deleted database is dropped, even while clients are connected", async () => {
    const { id, connection_uri } = databaseOf((await call("POST", "/databases", aDatabase)).data);
    const inside = await openClient(connection_uri);
    await inside.query("CREATE TABLE t AS SELECT 1");
    await call("DELETE", `/databases/${id}`);
    await expect(inside.query("SELECT * FROM t")).rejects.toThrow();
    expect(await firstValue(connection_uri, "SELECT 1")).toMatch(/password authentication failed/);
    expect((await call("GET", `/databases/${id}`)).status).toBe(404);
  });

  test("no other tenant can prevent a database's deletion", async () => {
    const bob = apiClientFor(sandbox, "sandbox_bob");
    const theirs = databaseOf((await bob("POST", "/databases", aDatabase)).data);
    const inside = await openClient(theirs.connection_uri);
    const granted = async () => {
      const mine = databaseOf((await call("POST", "/databases", aDatabase)).data);
      await inside.query(`GRANT CONNECT ON DATABASE ${theirs.database} TO ${mine.username}`);
      return mine;
    };
    const first = await granted();
    const across = first.connection_uri.replace(`/${first.database}`, `/${theirs.database}`);
    const guest = await openClient(across);
    expect((await call("DELETE", `/databases/${first.id}`)).status).toBe(200);
    expect((await call("GET", `/databases/${first.id}`)).status).toBe(404);
    await expect(guest.query("SELECT 1")).rejects.toThrow();
    await guest.end().catch(() => {});
    expect(await firstValue(across, "SELECT 1")).toMatch(/password authentication failed/);
    const leftOver = "SELECT count(*)::int FROM pg_roles WHERE rolname LIKE 'gone%'";
    expect(await firstValue(theirs.connection_uri, leftOver)).toBe(1);

    // Locks the role until this transaction ends.
    await inside.query("BEGIN");
    const second = await granted();
    await call("DELETE", `/databases/${second.id}`);
    expect((await call("GET", `/databases/${second.id}`)).status).toBe(404);
    await inside.query("ROLLBACK");

    await inside.query(`ALTER DATABASE ${theirs.database} IS_TEMPLATE true`);
    await inside.end();
    await bob("DELETE", `/databases/${theirs.id}`);
    expect((await bob("GET", `/databases/${theirs.id}`)).status).toBe(404);
    const { connection_uri } = databaseOf((await call("POST", "/databases", aDatabase)).data);
    expect(await firstValue(connection_uri, leftOver)).toBe(0);
  });

  test("other engines stay simulated, and their address shows it", async () => {
    const { data } = await call("POST", "/databases", { ...aDatabase, engine: "redis", version: "7.2" });
    expect(Object(data).host).toMatch(/\.simulated\.invalid$/);
  });
});
