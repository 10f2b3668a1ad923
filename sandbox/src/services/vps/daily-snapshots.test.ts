import { expect, test } from "vitest";
import { z } from "zod";
import { type ApiClient, apiClientFor, aServer, sandboxFor } from "../../../test/api-client.js";
import { temporaryFolder } from "../../../test/folder.js";
import type { Sandbox } from "../../index.js";

const DAY_MS = 86_400_000;
const provisioning = { vpsMs: 1000, vpsActionMs: 1000 };
const notification = z.object({ event: z.string(), data: z.object({ completed_at: z.string() }) });

/** When snapshots were completed, by the notifications. */
const snapshots = (sandbox: Sandbox) =>
  sandbox.deliveries().map(({ body }) => notification.parse(JSON.parse(body)).data.completed_at.slice(0, 16));

async function open(
  fields: object,
  data?: string,
): Promise<{ sandbox: Sandbox; call: ApiClient; id: string }> {
  const sandbox = await sandboxFor({ provisioning, ...(data !== undefined && { data }) });
  sandbox.clock.freeze(new Date("2030-01-01T12:00:00Z"));
  const call = apiClientFor(sandbox);
  const url = "https://example.com/hooks";
  await call("POST", "/webhooks", { url, events: ["vps.snapshot.completed"], secret: "a-shared-secret" });
  const { id } = await call("POST", "/vps/instances", { ...aServer, ...fields });
  await sandbox.clock.advance(1000);
  return { sandbox, call, id };
}

// Specification: "daily differential snapshots are captured … with no instance downtime".
test("a server with backups_enabled has a snapshot each day at the time of its creation, and runs on", async () => {
  const { sandbox, call, id } = await open({ backups_enabled: true });
  for (let day = 1; day <= 3; day++) await sandbox.clock.advance(DAY_MS);
  expect(snapshots(sandbox)).toEqual(["2030-01-02T12:00", "2030-01-03T12:00", "2030-01-04T12:00"]);
  expect(JSON.parse(sandbox.deliveries()[0]?.body ?? "")).toEqual({
    event: "vps.snapshot.completed",
    data: {
      snapshot_id: expect.stringMatching(/^snap_/),
      instance_id: id,
      instance_name: "web",
      completed_at: "2030-01-02T12:00:00.000Z",
    },
  });
  expect((await call("GET", `/vps/instances/${id}`)).data).toMatchObject({ status: "running" });
});

test("without backups_enabled there is none, and it can be turned on and off", async () => {
  const { sandbox, call, id } = await open({});
  await sandbox.clock.advance(DAY_MS);
  expect(snapshots(sandbox)).toEqual([]);
  await call("PATCH", `/vps/instances/${id}`, { backups_enabled: true });
  await sandbox.clock.advance(DAY_MS);
  expect(snapshots(sandbox)).toEqual(["2030-01-03T12:00"]);
  await call("PATCH", `/vps/instances/${id}`, { backups_enabled: false });
  await sandbox.clock.advance(DAY_MS);
  expect(snapshots(sandbox)).toHaveLength(1);
});

test("control turns it on as well, and a status that it sets does not end it", async () => {
  const { sandbox, id } = await open({});
  sandbox.change(id, { backups_enabled: true });
  await sandbox.clock.advance(DAY_MS);
  sandbox.change(id, { status: "failed" });
  await sandbox.clock.advance(DAY_MS);
  sandbox.change(id, { status: "stopped" });
  await sandbox.clock.advance(DAY_MS);
  expect(snapshots(sandbox)).toEqual(["2030-01-02T12:00", "2030-01-04T12:00"]);
  sandbox.change(id, { created_at: "at some time" });
  await sandbox.clock.advance(2 * DAY_MS);
  expect(snapshots(sandbox)).toHaveLength(4);
});

test("daily snapshots continue after actions, and an action may replace a day's snapshot", async () => {
  const { sandbox, call, id } = await open({ backups_enabled: true });
  const act = (action: string) => call("POST", `/vps/instances/${id}/actions`, { action });
  expect((await act("stop")).status).toBe(200);
  await sandbox.clock.advance(DAY_MS - 1500);
  expect(snapshots(sandbox)).toEqual([]);
  expect((await act("start")).status).toBe(200);
  await sandbox.clock.advance(1000);
  expect(snapshots(sandbox)).toEqual([]);
  await sandbox.clock.advance(DAY_MS);
  expect(snapshots(sandbox)).toEqual(["2030-01-03T12:00"]);
});

test("a long advance sends the snapshots of its last 7 days; a deleted server has none", async () => {
  const { sandbox, call, id } = await open({ backups_enabled: true });
  await sandbox.clock.advance(30 * DAY_MS);
  expect(snapshots(sandbox)).toHaveLength(7);
  await call("DELETE", `/vps/instances/${id}`);
  await sandbox.clock.advance(DAY_MS);
  expect(snapshots(sandbox)).toHaveLength(7);
});

test("a sandbox that did not run at the time makes up for it with one", async () => {
  const data = await temporaryFolder();
  const { sandbox: first } = await open({ backups_enabled: true }, data);
  await first.close();
  const sandbox = await sandboxFor({ data });
  expect(snapshots(sandbox)).toEqual([]);
  sandbox.clock.freeze(new Date("2030-01-04T18:00:00Z"));
  await sandbox.clock.advance(0);
  expect(snapshots(sandbox)).toEqual(["2030-01-04T18:00"]);
  await sandbox.clock.advance(DAY_MS);
  expect(snapshots(sandbox)).toEqual(["2030-01-04T18:00", "2030-01-05T12:00"]);
});
