// @module-tag slow

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { aDatabase, apiClientFor, eventually } from "../../test/api-client.js";
import { buildCommand, type Running, startCommand } from "../../test/command.js";
import { temporaryFolder } from "../../test/folder.js";
import { startSandbox } from "../index.js";

beforeAll(buildCommand, 120_000);

const schedule = { frequency: "daily", hour_utc: 3, retention_days: 7, notify_on_complete: true };
const headers = { authorization: "Bearer sandbox_local", "content-type": "application/json" };
const databaseAnswer = z.object({ data: z.object({ id: z.string(), connection_uri: z.string() }) });

async function send({ baseUrl }: Running, method: string, path: string, body?: object): Promise<unknown> {
  const url = path.startsWith("/_sandbox") ? new URL(path, baseUrl) : baseUrl + path;
  return (await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json();
}

async function connected(uri: string): Promise<Client> {
  const client = new Client({ connectionString: uri });
  client.on("error", () => {});
  await client.connect();
  return client;
}

test("after a kill during a dump, the next start completes it, and no incomplete one is shown", {
  timeout: 120_000,
}, async () => {
  const data = await temporaryFolder();
  const flags = [
    "--port",
    "0",
    "--postgres-port",
    "0",
    "--pool-port",
    "0",
    "--data",
    data,
    "--provisioning-ms",
    "0",
  ];
  const first = await startCommand(...flags);
  const created = await send(first, "POST", "/databases", aDatabase);
  const { id, connection_uri } = databaseAnswer.parse(created).data;
  const client = await connected(connection_uri);
  await client.query("CREATE TABLE kept AS SELECT 7 AS n");
  // Keeps the dump waiting, so that it is met in its middle.
  await client.query("BEGIN");
  await client.query("LOCK TABLE kept IN ACCESS EXCLUSIVE MODE");
  const state = async (sandbox: Running) =>
    Object(await send(sandbox, "GET", "/_sandbox/backups")).map((each: object) => Object(each).status);
  await send(first, "POST", "/_sandbox/clock", { do: "freeze", at: "2030-01-01T02:59:59.900Z" });
  await send(first, "PUT", `/databases/${id}/backup-schedule`, schedule);
  await send(first, "POST", "/_sandbox/clock", { do: "resume" });
  await eventually(() => state(first)).toEqual(["running"]);
  await eventually(() => readdir(join(data, "backups"))).toEqual([
    expect.stringMatching(/\.sql\.unfinished$/),
  ]);
  first.process.kill("SIGKILL");
  await first.exited;
  await client.end().catch(() => {});

  const second = await startCommand(...flags);
  await eventually(() => state(second)).toEqual(["completed"]);
  const [backup] = Object(await send(second, "GET", "/_sandbox/backups"));
  expect(await readdir(join(data, "backups"))).toEqual([`${backup.backup_id}.sql`]);
  expect((await readFile(backup.dump, "utf8")).trimEnd()).toMatch(/dump complete\n--$/);
  second.process.kill("SIGTERM");
  expect(await second.exited).toBe(0);
});

test("a backup that meets the server's end fails and says so, and the next one is made", {
  timeout: 120_000,
}, async () => {
  const data = await temporaryFolder();
  const sandbox = await startSandbox({ postgres: "real", data, provisioning: { databaseMs: 0 } });
  onTestFinished(() => sandbox.close());
  const call = apiClientFor(sandbox);
  const { id, data: made } = await call("POST", "/databases", aDatabase);
  await call("PUT", `/databases/${id}/backup-schedule`, schedule);
  const client = await connected(Object(made).connection_uri);
  await client.query("CREATE TABLE kept AS SELECT 7 AS n");
  // Keeps the dump waiting, so that it is met in its middle.
  await client.query("BEGIN");
  await client.query("LOCK TABLE kept IN ACCESS EXCLUSIVE MODE");
  const moving = sandbox.clock.advance(86_400_000);
  await eventually(() => readdir(join(data, "backups")).catch(() => [])).toEqual([
    expect.stringMatching(/\.sql\.unfinished$/),
  ]);
  const [pid] = (await readFile(join(data, "postgres", "data", "postmaster.pid"), "utf8")).split("\n");
  process.kill(Number(pid), "SIGQUIT");
  await moving;
  expect(sandbox.backups().at(-1)).toMatchObject({
    status: "failed",
    reason: expect.stringMatching(/not reachable|shutting down|closed|terminating/),
  });
  await client.end().catch(() => {});
  await sandbox.clock.advance(86_400_000);
  expect(sandbox.backups().at(-1)).toMatchObject({ status: "completed" });
});
