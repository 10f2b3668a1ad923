// @module-tag slow

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aDatabase, apiClientFor, eventually, sandboxFor } from "../../test/api-client.js";
import { temporaryFolder } from "../../test/folder.js";
import { adminClient } from "./server.js";

test("a database whose deletion was interrupted by a kill is deleted by the next attempt", {
  timeout: 120_000,
}, async () => {
  const data = await temporaryFolder();
  const sandbox = await sandboxFor({ postgres: "real", data, provisioning: { databaseMs: 0 } });
  const call = apiClientFor(sandbox);
  const { id, data: made } = await call("POST", "/databases", aDatabase);
  const lines = (await readFile(join(data, "postgres", "data", "postmaster.pid"), "utf8")).split("\n");
  const [port = "", socketFolder = ""] = lines.slice(3, 5);
  const client = adminClient(socketFolder, Number(port), "postgres");
  await client.connect();
  // PostgreSQL does this first, so that no client uses a half-deleted database.
  const marked = await client.query("UPDATE pg_database SET datconnlimit = -2 WHERE datname = $1", [
    Object(made).database,
  ]);
  expect(marked.rowCount).toBe(1);
  await client.end();
  await call("DELETE", `/databases/${id}`);
  await eventually(async () => (await call("GET", `/databases/${id}`)).status).toBe(404);
});
