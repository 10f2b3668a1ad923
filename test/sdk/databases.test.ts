import { FailedStateError, NotFoundError, WaitTimeoutError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/failure.js";
import { openClient } from "./client.js";

const input = { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" } as const;

describe("databases", () => {
  it("databases.create: creates a database, which becomes ready with an address", async () => {
    const { client } = await openClient();
    const created = await client.databases.create({ ...input, name: "main", enableConnectionPool: true });
    expect(created).toMatchObject({ name: "main", engine: "postgresql", version: "16" });
    const ready = await client.databases.waitUntilReady(created.id);
    expect(ready).toMatchObject({ status: "ready", sslRequired: true, port: expect.any(Number) });
    expect(ready.connectionUri).toMatch(/^postgres/);
    expect(ready.poolUri).toMatch(/^postgres/);
  });

  it("databases.get: reads a database by its id", async () => {
    const { client } = await openClient();
    const { id } = await client.databases.create({ ...input, name: "main" });
    expect(await client.databases.get(id)).toMatchObject({ id, name: "main" });
    await errorOf(client.databases.get("db_0"), NotFoundError);
  });

  it("databases.list: lists all databases", async () => {
    const { client } = await openClient();
    for (const name of ["a", "b", "c"]) await client.databases.create({ ...input, name });
    const all = await client.databases.list({ limit: 2 }).toArray();
    expect(all.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  it("databases.update: changes a database in place", async () => {
    const { client } = await openClient();
    const { id } = await client.databases.create({ ...input, name: "main" });
    await client.databases.waitUntilReady(id);
    await client.databases.update(id, { name: "renamed", plan: "db-standard-2" });
    expect(await client.databases.waitUntilReady(id)).toMatchObject({ id, name: "renamed" });
  });

  it("databases.delete: deletes a database, and waitUntilDeleted resolves", async () => {
    const { client } = await openClient({ provisioning: { deletionMs: 100 } });
    const { id } = await client.databases.create({ ...input, name: "main" });
    await client.databases.waitUntilReady(id);
    await client.databases.delete(id);
    await client.databases.waitUntilDeleted(id);
    await errorOf(client.databases.get(id), NotFoundError);
  });

  it("databases.setBackupSchedule: sets and replaces a schedule", async () => {
    const { client } = await openClient();
    const { id } = await client.databases.create({ ...input, name: "main" });
    await client.databases.waitUntilReady(id);
    const schedule = { frequency: "daily", hourUtc: 3, retentionDays: 7, notifyOnComplete: true };
    expect(await client.databases.setBackupSchedule(id, schedule)).toEqual(schedule);
    expect(await client.databases.setBackupSchedule(id, { ...schedule, hourUtc: 4 })).toMatchObject({
      hourUtc: 4,
    });
  });

  it("databases.getBackupSchedule: reads a schedule, and fails with a 404 before there is one", async () => {
    const { client } = await openClient();
    const { id } = await client.databases.create({ ...input, name: "main" });
    await client.databases.waitUntilReady(id);
    await errorOf(client.databases.getBackupSchedule(id), NotFoundError);
    await client.databases.setBackupSchedule(id, { frequency: "weekly", hourUtc: 0, retentionDays: 1 });
    expect(await client.databases.getBackupSchedule(id)).toMatchObject({
      frequency: "weekly",
      retentionDays: 1,
    });
  });

  it("databases.deleteBackupSchedule: deletes a schedule", async () => {
    const { client } = await openClient();
    const { id } = await client.databases.create({ ...input, name: "main" });
    await client.databases.waitUntilReady(id);
    await client.databases.setBackupSchedule(id, { frequency: "daily", hourUtc: 0, retentionDays: 1 });
    await client.databases.deleteBackupSchedule(id);
    await errorOf(client.databases.getBackupSchedule(id), NotFoundError);
  });
});

describe("waiting for databases", () => {
  it("waits for many at a time with a few lists", async () => {
    const { client, sandbox } = await openClient(
      { provisioning: { databaseMs: 400 } },
      { pollInterval: 100 },
    );
    const ids: string[] = [];
    for (let count = 0; count < 30; count += 1) {
      ids.push((await client.databases.create({ ...input, name: `n${count}` })).id);
    }
    sandbox.clearJournal();
    const ready = await Promise.all(ids.map((id) => client.databases.waitUntilReady(id)));
    expect(ready.map(({ id }) => id)).toEqual(ids);
    expect(sandbox.journal().length).toBeLessThan(30);
  });

  it("works when the list shows only ids", async () => {
    const { client } = await openClient({ summaryLists: true });
    const made = await Promise.all(
      ["a", "b", "c", "d"].map((name) => client.databases.create({ ...input, name })),
    );
    const ready = await Promise.all(made.map(({ id }) => client.databases.waitUntilReady(id)));
    for (const database of ready) expect(database.connectionUri).toMatch(/^postgres/);
  });

  it("fails at once on a failed database, with the service's reason", async () => {
    const { client, sandbox } = await openClient();
    sandbox.progress("database", { mode: "fail", reason: "no capacity in this region" });
    const { id } = await client.databases.create({ ...input, name: "main" });
    const error = await errorOf(client.databases.waitUntilReady(id), FailedStateError);
    expect(error).toMatchObject({ resourceStatus: "failed", reason: "no capacity in this region" });
  });

  it("fails at its timeout with the last status", async () => {
    const { client, sandbox } = await openClient();
    sandbox.progress("database", { mode: "stuck" });
    const { id } = await client.databases.create({ ...input, name: "main" });
    const error = await errorOf(client.databases.waitUntilReady(id, { timeout: 300 }), WaitTimeoutError);
    expect(error.lastStatus).toBe("provisioning");
  });

  it("survives failed and dropped responses", async () => {
    const { client, sandbox } = await openClient({ provisioning: { databaseMs: 200 } });
    const { id } = await client.databases.create({ ...input, name: "main" });
    sandbox.faults.add({ kind: "status", status: 503, when: "before", method: "GET", count: 2 });
    sandbox.faults.add({ kind: "drop", when: "before", method: "GET", count: 2 });
    sandbox.faults.add({ kind: "html", status: 200, when: "before", method: "GET", count: 2 });
    sandbox.faults.add({ kind: "cut", method: "GET", count: 2 });
    expect(await client.databases.waitUntilReady(id)).toMatchObject({ status: "ready" });
  });
});
