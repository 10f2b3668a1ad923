// @module-tag slow

import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { expect, test } from "vitest";
import { aDatabase, apiClientFor, eventually, sandboxFor } from "../../test/api-client.js";
import { temporaryFolder } from "../../test/folder.js";

const pooled = { ...aDatabase, enable_connection_pool: true };

async function connected(uri: string): Promise<Client> {
  const client = new Client({ connectionString: uri });
  client.on("error", () => {});
  await client.connect();
  return client;
}

async function asked(uri: string, question: string): Promise<unknown[]> {
  const client = await connected(uri);
  try {
    return (await client.query(question)).rows;
  } finally {
    await client.end();
  }
}

/** A sandbox with a database in a folder, and how its server is killed. */
async function running() {
  const data = await temporaryFolder();
  const sandbox = await sandboxFor({ postgres: "real", data, provisioning: { databaseMs: 0 } });
  const call = apiClientFor(sandbox);
  const { id, data: made } = await call("POST", "/databases", pooled);
  const { connection_uri, pool_uri } = Object(made);
  const cluster = join(data, "postgres", "data");
  const kill = async () => {
    const [pid] = (await readFile(join(cluster, "postmaster.pid"), "utf8")).split("\n");
    process.kill(Number(pid), "SIGKILL");
  };
  const health = async () => (await fetch(`${sandbox.url}/health`)).json();
  return {
    ...{ call, id, kill, health, cluster },
    uris: [String(connection_uri), String(pool_uri)] as const,
  };
}

test("a killed server restarts with its data and addresses, and health is degraded meanwhile", {
  timeout: 120_000,
}, async () => {
  const { call, id, kill, health, cluster, uris } = await running();
  const [direct, pool] = uris;
  await asked(direct, "CREATE TABLE kept AS SELECT 7 AS n");
  const clients = [await connected(direct), await connected(pool)];
  for (const client of clients) await client.query("BEGIN");
  expect(await health()).toMatchObject({
    status: "ok",
    parts: { postgresql: "real", "connection pool of postgresql": expect.stringMatching(/^a relay: /) },
  });

  // Without this, no server starts.
  await rename(join(cluster, "global"), join(cluster, "hidden"));
  await kill();
  await eventually(health).toMatchObject({
    status: "degraded",
    parts: { postgresql: expect.stringMatching(/ended unexpectedly \(SIGKILL\) and is restarting/) },
  });
  for (const client of clients) {
    await expect(client.query("SELECT 1")).rejects.toThrow();
    await client.end().catch(() => {});
  }
  await expect(asked(pool, "SELECT 1")).rejects.toThrow(/not reachable/);
  await rename(join(cluster, "hidden"), join(cluster, "global"));

  const { data } = await call("POST", "/databases", aDatabase);
  expect(data).toMatchObject({ status: "ready" });
  expect(await health()).toMatchObject({ status: "ok", parts: { postgresql: "real" } });
  expect((await call("GET", `/databases/${id}`)).data).toMatchObject({ connection_uri: direct });
  for (const uri of uris) expect(await asked(uri, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
  await kill();
  expect((await call("DELETE", `/databases/${id}`)).status).toBe(200);
  await eventually(async () => (await call("DELETE", `/databases/${id}`)).status).toBe(404);
});

test("no pooled client hangs when the server ends", {
  timeout: 120_000,
}, async () => {
  const { kill, uris } = await running();
  const [, pool] = uris;
  const clients = await Promise.all(Array.from({ length: 50 }, () => connected(pool)));
  const answers = clients.map((client) => client.query("SELECT pg_sleep(600)").catch(() => "ended"));
  await eventually(() =>
    asked(uris[0], "SELECT 1 FROM pg_stat_activity WHERE query ~ '^SELECT pg_sleep'").then(
      ({ length }) => length,
    ),
  ).toBe(50);
  await kill();
  expect(await Promise.all(answers)).toEqual(Array<string>(50).fill("ended"));
  await Promise.all(clients.map((client) => client.end().catch(() => {})));
});
