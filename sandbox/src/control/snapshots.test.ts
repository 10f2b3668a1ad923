import { expect, test } from "vitest";
import { aDatabase, apiClientFor, aServer, sandboxFor } from "../../test/api-client.js";

test("a snapshot brings back what was there and takes away what came since, the clock included", async () => {
  const sandbox = await sandboxFor({ provisioning: { vpsMs: 60_000, databaseMs: 0 } });
  sandbox.clock.freeze(new Date("2030-01-01T00:00:00Z"));
  const call = apiClientFor(sandbox);
  const server = await call("POST", "/vps/instances", aServer);
  const database = await call("POST", "/databases", aDatabase);
  await sandbox.snapshots.take("before");
  const before = sandbox.resources();
  await sandbox.clock.advance(60_000);
  await call("POST", "/databases", aDatabase);
  await call("DELETE", `/databases/${database.id}`);
  expect((await call("GET", `/vps/instances/${server.id}`)).data).toMatchObject({ status: "running" });
  await sandbox.snapshots.restore("before");
  expect(sandbox.resources()).toEqual(before);
  expect(sandbox.clock.now()).toBe(Date.parse("2030-01-01T00:00:00Z"));
  expect((await call("GET", `/vps/instances/${server.id}`)).data).toMatchObject({ status: "provisioning" });
  await sandbox.clock.advance(60_000);
  expect((await call("GET", `/vps/instances/${server.id}`)).data).toMatchObject({ status: "running" });
});

test("snapshots over HTTP, by name", async () => {
  const sandbox = await sandboxFor();
  const at = (path: string, method: string) => fetch(`${sandbox.url}/_sandbox/snapshots${path}`, { method });
  expect((await at("/empty", "PUT")).status).toBe(200);
  expect(await (await at("", "GET")).json()).toEqual(["empty"]);
  await apiClientFor(sandbox)("POST", "/databases", aDatabase);
  expect((await at("/empty/restore", "POST")).status).toBe(200);
  expect(sandbox.resources()).toEqual([]);
  expect((await at("/none/restore", "POST")).status).toBe(404);
});
