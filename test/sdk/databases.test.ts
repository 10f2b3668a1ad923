import { FailedStateError, NotFoundError, WaitTimeoutError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/failure.js";
import { openClient } from "./client.js";

const input = { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" } as const;

describe("databases", () => {
  it("databases.create: a database comes, and gets ready with an address", async () => {
    const { client } = await openClient();
    const created = await client.databases.create({ ...input, name: "main", enableConnectionPool: true });
    expect(created).toMatchObject({ name: "main", engine: "postgresql", version: "16" });
    const ready = await client.databases.waitUntilReady(created.id);
    expect(ready).toMatchObject({ status: "ready", sslRequired: true, port: expect.any(Number) });
    expect(ready.connectionUri).toMatch(/^postgres/);
    expect(ready.poolUri).toMatch(/^postgres/);
  });

  it("databases.get: a database is read by its id", async () => {
    const { client } = await openClient();
    const { id } = await client.databases.create({ ...input, name: "main" });
    expect(await client.databases.get(id)).toMatchObject({ id, name: "main" });
    await errorOf(client.databases.get("db_0"), NotFoundError);
  });

  it("databases.list: all databases are listed", async () => {
    const { client } = await openClient();
    for (const name of ["a", "b", "c"]) await client.databases.create({ ...input, name });
    const all = await client.databases.list({ limit: 2 }).toArray();
    expect(all.map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  it("databases.update: a database is changed in place", async () => {
    const { client } = await openClient();
    const { id } = await client.databases.create({ ...input, name: "main" });
    await client.databases.waitUntilReady(id);
    await client.databases.update(id, { name: "renamed", plan: "db-standard-2" });
    expect(await client.databases.waitUntilReady(id)).toMatchObject({ id, name: "renamed" });
  });

  it("databases.delete: a database is gone afterwards, and the wait for it ends", async () => {
    const { client } = await openClient({ provisioning: { deletionMs: 100 } });
    const { id } = await client.databases.create({ ...input, name: "main" });
    await client.databases.waitUntilReady(id);
    await client.databases.delete(id);
    await client.databases.waitUntilDeleted(id);
    await errorOf(client.databases.get(id), NotFoundError);
  });

  it("databases.setBackupSchedule: a schedule is set, and set again", async () => {
    const { client } = await openClient();
    const { id } = await client.databases.create({ ...input, name: "main" });
    await client.databases.waitUntilReady(id);
    const schedule = { frequency: "daily", hourUtc: 3, retentionDays: 7, notifyOnComplete: true };
    expect(await client.databases.setBackupSchedule(id, schedule)).toEqual(schedule);
    expect(await client.databases.setBackupSchedule(id, { ...schedule, hourUtc: 4 })).toMatchObject({
      hourUtc: 4,
    });
  });

  it("databases.getBackupSchedule: a schedule is read, and its absence is proven", async () => {
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

  it("databases.deleteBackupSchedule: backups end", async () => {
    const { client } = await openClient();
    const { id } = await client.databases.create({ ...input, name: "main" });
    await client.databases.waitUntilReady(id);
    await client.databases.setBackupSchedule(id, { frequency: "daily", hourUtc: 0, retentionDays: 1 });
    await client.databases.deleteBackupSchedule(id);
    await errorOf(client.databases.getBackupSchedule(id), NotFoundError);
  });
});

describe("waiting for databases", () => {
  it("of which there are many at a time costs a few lists", async () => {
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

  it("works where the list tells no more than ids", async () => {
    const { client } = await openClient({ summaryLists: true });
    const made = await Promise.all(
      ["a", "b", "c", "d"].map((name) => client.databases.create({ ...input, name })),
    );
    const ready = await Promise.all(made.map(({ id }) => client.databases.waitUntilReady(id)));
    for (const database of ready) expect(database.connectionUri).toMatch(/^postgres/);
  });

  it("ends at once on a failure, with the service's reason", async () => {
    const { client, sandbox } = await openClient();
    sandbox.progress("database", { mode: "fail", reason: "no capacity in this region" });
    const { id } = await client.databases.create({ ...input, name: "main" });
    const error = await errorOf(client.databases.waitUntilReady(id), FailedStateError);
    expect(error).toMatchObject({ resourceStatus: "failed", reason: "no capacity in this region" });
  });

  it("gives up in time on one that is stuck, and tells its last status", async () => {
    const { client, sandbox } = await openClient();
    sandbox.progress("database", { mode: "stuck" });
    const { id } = await client.databases.create({ ...input, name: "main" });
    const error = await errorOf(client.databases.waitUntilReady(id, { timeout: 300 }), WaitTimeoutError);
    expect(error.lastStatus).toBe("provisioning");
  });

  it("survives a service that fails, drops and slows down meanwhile", async () => {
    const { client, sandbox } = await openClient({ provisioning: { databaseMs: 200 } });
    const { id } = await client.databases.create({ ...input, name: "main" });
    sandbox.faults.add({ kind: "status", status: 503, when: "before", method: "GET", count: 2 });
    sandbox.faults.add({ kind: "drop", when: "before", method: "GET", count: 2 });
    sandbox.faults.add({ kind: "html", status: 200, when: "before", method: "GET", count: 2 });
    sandbox.faults.add({ kind: "cut", method: "GET", count: 2 });
    expect(await client.databases.waitUntilReady(id)).toMatchObject({ status: "ready" });
  });
});
