import { BackupSchedule, Database } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { failureOf } from "../support/stack.js";
import { openTestStack, takeRequests } from "../support/test-stack.js";

const orders = (plan: string) =>
  new Database("orders", { engine: "postgresql", version: "16", plan, region: "eu-central-1" });
const daily = { frequency: "daily", hourUtc: 3 };

/** A database that declares its own schedule. */
const together = (plan: string, retentionDays: number) => async () => {
  orders(plan).backupSchedule("nightly", { ...daily, retentionDays });
};

describe("a schedule that a database declares", () => {
  it("is checked against the plan in the preview, and otherwise equals one declared by hand", async () => {
    const { sandbox, stack } = await openTestStack(together("db-starter-1", 14));
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

describe("pain: an unsupported retention fails in the middle of an up", () => {
  it("the preview checks a schedule against the plan of the database that its id comes from", async () => {
    const byHand = (retentionDays: number) => async () => {
      new BackupSchedule("nightly", { ...daily, databaseId: orders("db-starter-1").id, retentionDays });
    };
    const { sandbox, stack } = await openTestStack(byHand(70));
    expect(await failureOf(stack.preview())).toMatch(/retentionDays.*more than the 7 days.*db-starter-1/s);
    expect(takeRequests(sandbox)).toEqual([]);
    expect((await stack.preview({ program: byHand(7) })).summary).toEqual({ create: 2 });
  });
});

describe("a schedule, which its database identifies", () => {
  it("can be declared once: a second one is rejected, and removing it deletes nothing", async () => {
    const program =
      (...names: string[]) =>
      async () => {
        const databaseId = orders("db-starter-1").id;
        for (const name of names) new BackupSchedule(name, { ...daily, databaseId, retentionDays: 7 });
      };
    const { sandbox, stack } = await openTestStack(program("nightly", "again"));
    expect(await failureOf(stack.preview())).toMatch(
      /BackupSchedule "again" and "nightly" are of one database \[DECLARED_TWICE\]/,
    );
    expect((await stack.up({ program: program("nightly") })).summary).toEqual({ create: 2 });
    const { resources } = await stack.export();
    const [database, nightly] = ["::orders", "::nightly"].map((name) =>
      resources.find(({ urn }) => urn.endsWith(name)),
    );
    const byId = async () => {
      const { id } = orders("db-starter-1");
      new BackupSchedule("nightly", { ...daily, databaseId: id, retentionDays: 7 });
      new BackupSchedule("again", { ...daily, databaseId: database?.id ?? "", retentionDays: 7 });
    };
    expect(await failureOf(stack.preview({ program: byId }))).toMatch(
      /databaseId is also the databaseId of BackupSchedule \\*"(again|nightly)/,
    );
    // The provider does not see what is not targeted, so both enter the state.
    const target = [(nightly?.urn ?? "").replace(/nightly$/, "again")];
    await stack.up({ program: program("again"), target });
    expect(await failureOf(stack.preview({ program: byId }))).toMatch(
      /BackupSchedule \\*"\w+\\*" \(db_\w+\) is in this stack twice/,
    );
    expect((await stack.up({ program: program("nightly") })).summary).toEqual({ same: 2, delete: 1 });
    expect(sandbox.resources().filter(({ kind }) => kind === "BackupSchedule")).toHaveLength(1);
    expect((await stack.preview()).summary).toEqual({ same: 2 });
  });

  it("survives a rename and a forced replacement", async () => {
    const named = (name: string) => async () => {
      new BackupSchedule(name, { ...daily, databaseId: orders("db-starter-1").id, retentionDays: 7 });
    };
    const scheduled = () => sandbox.resources().filter(({ kind }) => kind === "BackupSchedule");
    const { sandbox, stack } = await openTestStack(named("nightly"));
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

  it("is deleted with its database, although no read of it has ever succeeded", async () => {
    const { sandbox, stack } = await openTestStack(together("db-starter-1", 7));
    await stack.up();
    await sandbox.remove(sandbox.resources().find(({ kind }) => kind === "Database")?.id ?? "");
    expect((await stack.destroy()).summary).toEqual({ delete: 2 });
  });
});
