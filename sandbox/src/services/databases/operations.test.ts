import { expect, test } from "vitest";
import { aDatabase, apiClientFor, sandboxFor } from "../../../test/api-client.js";

const address = ["host", "port", "database", "username", "connection_uri"];

test("a database is provisioning without an address, then ready with one, and never shows its plan", async () => {
  const sandbox = await sandboxFor({ provisioning: { databaseMs: 5000 } });
  sandbox.clock.freeze();
  const call = apiClientFor(sandbox);
  const created = await call("POST", "/databases", { ...aDatabase, enable_connection_pool: true });
  const id = created.id;
  expect(created).toMatchObject({ status: 201 });
  expect(created.data).toEqual({
    id,
    name: "orders",
    engine: "postgresql",
    version: "16",
    status: "provisioning",
    ssl_required: true,
  });
  await sandbox.clock.advance(4999);
  expect((await call("GET", `/databases/${id}`)).data).toEqual(created.data);
  await sandbox.clock.advance(1);
  const ready = (await call("GET", `/databases/${id}`)).data;
  expect(ready).toMatchObject({ status: "ready", host: expect.stringMatching(/\.invalid$/) });
  expect(Object.keys(Object(ready)).sort()).toEqual(
    ["id", "name", "engine", "version", "status", "ssl_required", "pool_uri", ...address].sort(),
  );
});

test("without a pool there is no pooled address; with one it is another host and port", async () => {
  const call = apiClientFor(await sandboxFor({ provisioning: { databaseMs: 0 } }));
  const plain = Object((await call("POST", "/databases", aDatabase)).data);
  expect(plain.status).toBe("ready");
  expect(plain).not.toHaveProperty("pool_uri");
  const pooled = Object(
    (await call("POST", "/databases", { ...aDatabase, enable_connection_pool: true })).data,
  );
  const [direct, pool] = [new URL(pooled.connection_uri), new URL(pooled.pool_uri)];
  expect(pool.hostname).not.toBe(direct.hostname);
  expect(pool.port).not.toBe(direct.port);
  expect(pool.password).toBe(direct.password);
  expect(direct.password).toHaveLength(24);
});

test("in the documented profile the creation answers with a database that is ready", async () => {
  const call = apiClientFor(
    await sandboxFor({ profile: "documented", provisioning: { databaseMs: 60_000 } }),
  );
  const { data, id } = await call("POST", "/databases", aDatabase);
  expect(data).toMatchObject({ status: "ready", port: 5432 });
  expect(await call("GET", `/databases/${id}`)).toMatchObject({
    status: 404,
    error: { code: "ROUTE_NOT_FOUND" },
  });
});

test("the plan, the version and the pool change through updating; a new name is there at once", async () => {
  const sandbox = await sandboxFor({ provisioning: { databaseMs: 1000 } });
  sandbox.clock.freeze();
  const call = apiClientFor(sandbox);
  const { id } = await call("POST", "/databases", { ...aDatabase, version: "15" });
  expect(await call("PATCH", `/databases/${id}`, { version: "16" })).toMatchObject({ status: 409 });
  await sandbox.clock.advance(1000);
  expect((await call("PATCH", `/databases/${id}`, { name: "renamed" })).data).toMatchObject({
    name: "renamed",
    status: "ready",
  });
  const change = { version: "16", plan: "db-pro-4", enable_connection_pool: true };
  expect((await call("PATCH", `/databases/${id}`, change)).data).toMatchObject({ status: "updating" });
  await sandbox.clock.advance(1000);
  const after = await call("GET", `/databases/${id}`);
  expect(after.data).toMatchObject({ status: "ready", version: "16", pool_uri: expect.any(String) });
  expect(sandbox.resources()[0]?.fields).toMatchObject({ plan: "db-pro-4" });
  expect((await call("PATCH", `/databases/${id}`, { version: "15" })).error?.field).toBe("version");
  expect((await call("PATCH", `/databases/${id}`, { plan: "db-starter-1" })).error?.field).toBe("plan");
  expect((await call("PATCH", `/databases/${id}`, { region: "us-east-1" })).error?.field).toBe("region");
});

test("a deleted database is a 404, or shows deleting for the configured time", async () => {
  const sandbox = await sandboxFor();
  sandbox.clock.freeze();
  const call = apiClientFor(sandbox);
  const first = await call("POST", "/databases", aDatabase);
  await call("DELETE", `/databases/${first.id}`);
  expect((await call("GET", `/databases/${first.id}`)).status).toBe(404);
  sandbox.progress("deletion", { mode: "time", ms: 500 });
  const second = await call("POST", "/databases", aDatabase);
  await call("DELETE", `/databases/${second.id}`);
  expect((await call("GET", `/databases/${second.id}`)).data).toMatchObject({ status: "deleting" });
  await sandbox.clock.advance(500);
  expect((await call("GET", `/databases/${second.id}`)).error?.code).toBe("RESOURCE_NOT_FOUND");
});

test("a schedule is put, read, replaced and removed, and goes with its database", async () => {
  const sandbox = await sandboxFor({ provisioning: { databaseMs: 0 } });
  const call = apiClientFor(sandbox);
  const { id } = await call("POST", "/databases", aDatabase);
  const path = `/databases/${id}/backup-schedule`;
  expect((await call("GET", path)).error?.code).toBe("RESOURCE_NOT_FOUND");
  const schedule = { frequency: "daily", hour_utc: 3, retention_days: 7 };
  const put = await call("PUT", path, schedule);
  expect([put.status, put.data]).toEqual([200, { ...schedule, notify_on_complete: false }]);
  await call("PUT", path, { ...schedule, hour_utc: 4, notify_on_complete: true });
  expect((await call("GET", path)).data).toEqual({ ...schedule, hour_utc: 4, notify_on_complete: true });
  expect(sandbox.resources().filter(({ kind }) => kind === "BackupSchedule")).toHaveLength(1);
  await call("DELETE", path);
  expect((await call("GET", path)).status).toBe(404);
  expect((await call("DELETE", path)).status).toBe(404);
  await call("PUT", path, schedule);
  await call("DELETE", `/databases/${id}`);
  expect(sandbox.resources()).toEqual([]);
});

test.each([
  ["hour_utc", { hour_utc: 24 }],
  ["hour_utc", { hour_utc: -1 }],
  ["frequency", { frequency: "hourly" }],
  ["retention_days", { retention_days: 0 }],
  ["retention_days", { retention_days: 8 }],
])("%s is checked, retention against what the plan keeps", async (field, wrong) => {
  const call = apiClientFor(await sandboxFor({ provisioning: { databaseMs: 0 } }));
  const { id } = await call("POST", "/databases", aDatabase);
  const body = { frequency: "daily", hour_utc: 3, retention_days: 7, ...wrong };
  expect(await call("PUT", `/databases/${id}/backup-schedule`, body)).toMatchObject({
    status: 400,
    error: { field },
  });
});
