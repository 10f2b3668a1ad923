import { BackupSchedule, Database } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { openCloud, takeRequests } from "../support/cloud.js";
import { failureOf } from "../support/stack.js";

const orders = (plan: string) =>
  new Database("orders", { engine: "postgresql", version: "16", plan, region: "eu-central-1" });
const daily = { frequency: "daily", hourUtc: 3 };

/** A database that declares its own schedule. */
const together = (plan: string, retentionDays: number) => async () => {
  orders(plan).backupSchedule("nightly", { ...daily, retentionDays });
};

describe("a schedule that a database declares for itself", () => {
  it("knows the plan in the preview, and is otherwise the same as one declared by hand", async () => {
    const { sandbox, stack } = await openCloud(together("db-starter-1", 14));
    expect(await failureOf(stack.preview())).toMatch(/retentionDays.*more than the 7 days.*db-starter-1/s);
    expect(takeRequests(sandbox)).toEqual([]);

    expect((await stack.up({ program: together("db-starter-1", 7) })).summary).toEqual({ create: 2 });
    for (const { inputs, outputs } of (await stack.export()).resources)
      expect([...Object.keys(inputs), ...Object.keys(outputs)]).not.toContain("__plan");
    const byHand = async () => {
      new BackupSchedule("nightly", { ...daily, databaseId: orders("db-starter-1").id, retentionDays: 7 });
    };
    expect((await stack.preview({ program: byHand })).summary).toEqual({ same: 2 });

    const grown = together("db-standard-2", 14);
    expect((await stack.preview({ program: grown })).summary).toEqual({ update: 2 });
    expect((await stack.up()).summary).toEqual({ update: 2 });
    expect((await stack.preview()).summary).toEqual({ same: 2 });
  });
});

describe("pain: what the plan does not keep fails in the middle of an up", () => {
  it("a schedule that is given the id of a database knows its plan in the preview", async () => {
    const byHand = (retentionDays: number) => async () => {
      new BackupSchedule("nightly", { ...daily, databaseId: orders("db-starter-1").id, retentionDays });
    };
    const { sandbox, stack } = await openCloud(byHand(70));
    expect(await failureOf(stack.preview())).toMatch(/retentionDays.*more than the 7 days.*db-starter-1/s);
    expect(takeRequests(sandbox)).toEqual([]);
    expect((await stack.preview({ program: byHand(7) })).summary).toEqual({ create: 2 });
  });
});

describe("a schedule, which the service knows by its database", () => {
  it("is declared once: a second one is told, and taking it out again deletes nothing", async () => {
    const program =
      (...names: string[]) =>
      async () => {
        const databaseId = orders("db-starter-1").id;
        for (const name of names) new BackupSchedule(name, { ...daily, databaseId, retentionDays: 7 });
      };
    const { sandbox, stack } = await openCloud(program("nightly", "again"));
    await stack.up();
    expect(await failureOf(stack.preview())).toMatch(
      /BackupSchedule "\w+" \(db_\w+\) is in this stack twice/,
    );
    expect((await stack.up({ program: program("nightly") })).summary).toEqual({ same: 2, delete: 1 });
    expect(sandbox.resources().filter(({ kind }) => kind === "BackupSchedule")).toHaveLength(1);
    expect((await stack.preview()).summary).toEqual({ same: 2 });
  });

  it("survives a new name and a forced replacement", async () => {
    const named = (name: string) => async () => {
      new BackupSchedule(name, { ...daily, databaseId: orders("db-starter-1").id, retentionDays: 7 });
    };
    const scheduled = () => sandbox.resources().filter(({ kind }) => kind === "BackupSchedule");
    const { sandbox, stack } = await openCloud(named("nightly"));
    await stack.up();
    await stack.up({ program: named("backups") });
    expect(scheduled()).toHaveLength(1);
    const urn =
      (await stack.export()).resources.find(({ type }) => type.endsWith("BackupSchedule"))?.urn ?? "";
    expect((await stack.up({ replace: [urn] })).summary).toMatchObject({ replace: 1 });
    expect(scheduled()).toHaveLength(1);
    expect((await stack.destroy()).summary).toEqual({ delete: 2 });
    expect(sandbox.resources()).toEqual([]);
  });

  it("is deleted where its database was, although no read of it has ever succeeded", async () => {
    const { sandbox, stack } = await openCloud(together("db-starter-1", 7));
    await stack.up();
    await sandbox.remove(sandbox.resources().find(({ kind }) => kind === "Database")?.id ?? "");
    expect((await stack.destroy()).summary).toEqual({ delete: 2 });
  });
});
