// @module-tag slow

import { readdir } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { aDatabase, apiClientFor } from "../../test/api-client.js";
import { temporaryFolder } from "../../test/folder.js";
import { fixedPort } from "../../test/port.js";
import { databaseOf, firstValue } from "../../test/postgres.js";
import { startSandbox } from "../sandbox.js";

test("data in a folder outlives the sandbox and is served at the same address", {
  timeout: 120_000,
}, async () => {
  const data = await temporaryFolder();
  const options = { postgres: "real", data, provisioning: { databaseMs: 0 } } as const;
  const first = await startSandbox(options);
  const { data: created, id } = await apiClientFor(first)("POST", "/databases", aDatabase);
  expect(
    await firstValue(databaseOf(created).connection_uri, "CREATE TABLE kept AS SELECT 7 AS n; SELECT 1"),
  ).not.toMatch(/error/);
  await first.close();
  const second = await startSandbox(options);
  onTestFinished(() => second.close());
  const { connection_uri } = databaseOf((await apiClientFor(second)("GET", `/databases/${id}`)).data);
  expect(await firstValue(connection_uri, "SELECT n FROM kept")).toBe(7);
});

test("requests during a restart wait, or see databases with their addresses", {
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

test("a database fails with the reason where the server cannot run, and can be deleted", async () => {
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

test("a sandbox without databases starts no server and leaves no files", async () => {
  const before = (await readdir(tmpdir())).filter((name) => name.startsWith("cloudservices-sandbox-"));
  const sandbox = await startSandbox({ postgres: "real" });
  await sandbox.close();
  const after = (await readdir(tmpdir())).filter((name) => name.startsWith("cloudservices-sandbox-"));
  expect(after.filter((name) => !before.includes(name))).toEqual([]);
});
