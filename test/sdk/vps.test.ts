import { ConflictError, NotFoundError, vpsActions } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/failure.js";
import { openClient } from "./client.js";

const input = { name: "web", plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" } as const;

async function openServer() {
  const { client, sandbox } = await openClient();
  const { id } = await client.vps.create(input);
  await client.vps.waitUntilReady(id);
  return { client, sandbox, id };
}

describe("vps", () => {
  it("vps.create: creates a server, which becomes ready with its addresses", async () => {
    const { client } = await openClient();
    const created = await client.vps.create({ ...input, backupsEnabled: true, userData: "#!/bin/sh\ntrue" });
    expect(created).toMatchObject({ status: "provisioning", plan: "vps-micro-1", region: "eu-central-1" });
    expect(created.specs).toEqual({ vcpus: 1, ramMb: 1024, diskGb: 25 });
    const settled = await client.vps.waitUntilReady(created.id);
    expect(settled).toMatchObject({ status: "running", ipv4: expect.any(String), ipv6: expect.any(String) });
  });

  it("vps.get: reads a server by its id", async () => {
    const { client, id } = await openServer();
    expect(await client.vps.get(id)).toMatchObject({ id, name: "web", status: "running" });
  });

  it("vps.list: lists all servers", async () => {
    const { client } = await openClient();
    for (const name of ["a", "b", "c"]) await client.vps.create({ ...input, name });
    expect((await client.vps.list({ limit: 2 }).toArray()).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  it("vps.update: changes a server in place, its plan only while it is stopped", async () => {
    const { client, id } = await openServer();
    expect(await client.vps.update(id, { name: "renamed" })).toMatchObject({ name: "renamed" });
    await errorOf(client.vps.update(id, { plan: "vps-standard-2" }), ConflictError);
    await client.vps.stop(id);
    await client.vps.waitForStatus(id, "stopped");
    await client.vps.update(id, { plan: "vps-standard-2" });
    expect(await client.vps.waitForStatus(id, "stopped")).toMatchObject({ plan: "vps-standard-2" });
  });

  it("vps.delete: deletes a server", async () => {
    const { client, id } = await openServer();
    await client.vps.delete(id);
    await client.vps.waitUntilDeleted(id);
    await errorOf(client.vps.get(id), NotFoundError);
  });

  it("vps.act: accepts every action of the specification, and fails in a state that does not allow it", async () => {
    const { client, sandbox, id } = await openServer();
    await errorOf(client.vps.start(id), ConflictError);
    sandbox.clearJournal();
    await client.vps.stop(id);
    await client.vps.waitForStatus(id, "stopped");
    await client.vps.start(id);
    await client.vps.waitForStatus(id, "running");
    await client.vps.reboot(id);
    await client.vps.waitForStatus(id, ["running"]);
    await client.vps.createSnapshot(id);
    await client.vps.waitForStatus(id, "running");
    await client.vps.rebuild(id);
    await client.vps.waitForStatus(id, "running");
    const acted = sandbox.journal({ method: "POST" });
    expect(acted.map(({ status }) => status)).toEqual(vpsActions.map(() => 200));
  });
});
