import { expect, test } from "vitest";
import { type ApiClient, apiClientFor, aServer, sandboxFor } from "../../../test/api-client.js";
import { vpsActions } from "./catalogue.js";

const SECOND = { databaseMs: 0, vpsMs: 1000, vpsActionMs: 1000 };

async function statusOf(call: ApiClient, id: string): Promise<string> {
  return Object((await call("GET", `/vps/instances/${id}`)).data).status;
}

test("a server is provisioning without addresses, then running with documentation addresses", async () => {
  const sandbox = await sandboxFor({ provisioning: SECOND });
  sandbox.clock.freeze();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/vps/instances", {
    ...aServer,
    ssh_keys: ["ssh_key_1"],
    user_data: "#!/bin/sh",
  });
  expect(data).toEqual({
    id,
    name: "web",
    status: "provisioning",
    region: "eu-central-1",
    plan: "vps-micro-1",
    specs: { vcpus: 1, ram_mb: 1024, disk_gb: 25 },
    created_at: expect.any(String),
  });
  await sandbox.clock.advance(1000);
  expect((await call("GET", `/vps/instances/${id}`)).data).toEqual({
    ...Object(data),
    status: "running",
    ipv4: expect.stringMatching(/^192\.0\.2\./),
    ipv6: expect.stringMatching(/^2001:db8:/),
  });
});

test("the documented profile shows provisioning and the addresses in the answer to the creation", async () => {
  const call = apiClientFor(await sandboxFor({ profile: "documented" }));
  expect((await call("POST", "/vps/instances", aServer)).data).toMatchObject({
    status: "provisioning",
    ipv4: expect.any(String),
    ipv6: expect.any(String),
  });
});

const legal: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = {
  running: {
    stop: ["stopping", "stopped"],
    reboot: ["rebooting", "running"],
    rebuild: ["rebuilding", "running"],
    create_snapshot: ["snapshotting", "running"],
  },
  stopped: {
    start: ["starting", "running"],
    rebuild: ["rebuilding", "running"],
    create_snapshot: ["snapshotting", "stopped"],
  },
};
const states = [
  "provisioning",
  "running",
  "stopped",
  "starting",
  "stopping",
  "rebooting",
  "rebuilding",
  "resizing",
  "snapshotting",
  "failed",
];
const pairs = states.flatMap((state) => vpsActions.map((action) => [state, action] as const));

test.each(pairs)("%s and %s", async (state, action) => {
  const sandbox = await sandboxFor({ provisioning: SECOND });
  sandbox.clock.freeze();
  const call = apiClientFor(sandbox);
  const { id } = await call("POST", "/vps/instances", aServer);
  sandbox.change(id, { status: state });
  const reply = await call("POST", `/vps/instances/${id}/actions`, { action });
  const expected = legal[state]?.[action];
  if (!expected) {
    expect(reply).toMatchObject({ status: 409, error: { code: "CONFLICT" } });
    expect(await statusOf(call, id)).toBe(state);
    return;
  }
  expect(reply).toMatchObject({ status: 200, data: { id, status: expected[0] } });
  await sandbox.clock.advance(1000);
  expect(await statusOf(call, id)).toBe(expected[1]);
});

test("a plan changes only while the server is stopped, and only to one with at least the disk", async () => {
  const sandbox = await sandboxFor({ provisioning: { ...SECOND, vpsMs: 0 } });
  sandbox.clock.freeze();
  const call = apiClientFor(sandbox);
  const { id } = await call("POST", "/vps/instances", { ...aServer, plan: "vps-standard-2" });
  const path = `/vps/instances/${id}`;
  expect((await call("PATCH", path, { plan: "vps-standard-4" })).status).toBe(409);
  expect((await call("PATCH", path, { name: "renamed", plan: "vps-standard-2" })).data).toMatchObject({
    name: "renamed",
  });
  sandbox.change(id, { status: "stopped" });
  expect((await call("PATCH", path, { plan: "vps-micro-1" })).error?.field).toBe("plan");
  expect((await call("PATCH", path, { plan: "vps-standard-4" })).data).toMatchObject({ status: "resizing" });
  await sandbox.clock.advance(1000);
  expect((await call("GET", path)).data).toMatchObject({
    status: "stopped",
    plan: "vps-standard-4",
    specs: { vcpus: 4, ram_mb: 8192, disk_gb: 160 },
  });
});

test("fields that responses omit are kept, and a deleted server is a 404", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { id } = await call("POST", "/vps/instances", aServer);
  await call("PATCH", `/vps/instances/${id}`, { user_data: "echo", backups_enabled: true });
  expect(sandbox.resources()[0]?.fields).toMatchObject({
    user_data: "echo",
    backups_enabled: true,
    image: "debian-12",
  });
  expect((await call("DELETE", `/vps/instances/${id}`)).status).toBe(200);
  expect((await call("GET", `/vps/instances/${id}`)).status).toBe(404);
});
