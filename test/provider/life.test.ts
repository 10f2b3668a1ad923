import { BackupSchedule, Database, Inbox, Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { openCloud, takeRequests } from "../support/cloud.js";

const region = "eu-central-1";

/** All six kinds, with what a test varies. */
function program(
  vary: {
    title?: string;
    plan?: string;
    hour?: number;
    events?: string[];
    region?: string;
    ttl?: number;
  } = {},
) {
  return async () => {
    const web = new VpsInstance("web", {
      plan: vary.plan ?? "vps-micro-1",
      region: vary.region ?? region,
      image: "debian-12",
      allowStopping: true,
    });
    const link = new Link("home", {
      url: web.ipv4.apply((ip) => `http://${ip}/`),
      title: vary.title ?? "Home",
    });
    const orders = new Database("orders", {
      engine: "postgresql",
      version: "16",
      plan: "db-starter-1",
      region,
    });
    new BackupSchedule("nightly", {
      databaseId: orders.id,
      frequency: "daily",
      hourUtc: vary.hour ?? 3,
      retentionDays: 7,
    });
    new Webhook("backups", {
      url: "https://hooks.example.com/backups",
      events: vary.events ?? ["database.backup.completed"],
      secret: "a-signing-secret",
    });
    const inbox = new Inbox("signup", { ttlMinutes: vary.ttl ?? 120 });
    return {
      shortUrl: link.shortUrl,
      ipv4: web.ipv4,
      host: orders.host,
      uri: orders.connectionUri,
      mail: inbox.emailAddress,
    };
  };
}

describe("the life of a stack with all six kinds", () => {
  it("is created, unchanged, updated in place, replaced, repaired and destroyed", async () => {
    const { sandbox, stack } = await openCloud(program());

    expect((await stack.preview()).summary).toEqual({ create: 6 });
    expect(takeRequests(sandbox)).toEqual([]);

    const up = await stack.up();
    expect(up.summary).toEqual({ create: 6 });
    expect(sandbox.resources()).toHaveLength(6);
    expect(up.outputs["shortUrl"]?.value).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\w{6}$/);
    expect(up.outputs["ipv4"]?.value).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(up.outputs["uri"]).toMatchObject({
      secret: true,
      value: expect.stringMatching(/^postgres(ql)?:\/\//),
    });
    takeRequests(sandbox);

    expect((await stack.up()).summary).toEqual({ same: 6 });
    expect((await stack.preview()).summary).toEqual({ same: 6 });
    expect(takeRequests(sandbox)).toEqual([]);

    const ids = new Set(sandbox.resources().map(({ id }) => id));
    const changes = { title: "Start", plan: "vps-standard-2", hour: 4, events: ["vps.snapshot.completed"] };
    expect((await stack.up({ program: program(changes) })).summary).toEqual({ update: 4, same: 2 });
    expect(new Set(sandbox.resources().map(({ id }) => id))).toEqual(ids);
    expect((await stack.up()).summary).toEqual({ same: 6 });

    const moved = program({ ...changes, region: "us-east-1", ttl: 30 });
    expect((await stack.preview({ program: moved })).summary).toEqual({ replace: 2, update: 1, same: 3 });
    expect((await stack.up()).summary).toEqual({ replace: 2, update: 1, same: 3 });
    expect(sandbox.resources()).toHaveLength(6);
    expect((await stack.up()).summary).toEqual({ same: 6 });

    const server = sandbox.resources().find(({ kind }) => kind === "VpsInstance");
    const webhook = sandbox.resources().find(({ kind }) => kind === "Webhook");
    sandbox.change(server?.id ?? "", { name: "renamed-by-hand" });
    await sandbox.remove(webhook?.id ?? "");
    await stack.refresh();
    expect((await stack.up()).summary).toEqual({ create: 1, update: 1, same: 4 });
    expect((await stack.up()).summary).toEqual({ same: 6 });

    expect((await stack.destroy()).summary).toEqual({ delete: 6 });
    expect(sandbox.resources()).toEqual([]);
    expect((await stack.export()).resources).toEqual([]);
  });

  it("makes no noise by refreshing what has not changed", async () => {
    const { sandbox, stack } = await openCloud(program());
    await stack.up();
    takeRequests(sandbox);
    expect((await stack.refresh()).summary).toEqual({ same: 6 });
    expect((await stack.up()).summary).toEqual({ same: 6 });
  });
});
