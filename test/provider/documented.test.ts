import { BackupSchedule, Database, Inbox, Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { openCloud, openSandbox, takeRequests } from "../support/cloud.js";
import { failureOf } from "../support/stack.js";

const region = "eu-central-1";

const program =
  (vary: { title?: string; hour?: number } = {}) =>
  async () => {
    new VpsInstance("web", { plan: "vps-micro-1", region, image: "debian-12" });
    new Link("home", { url: "https://example.com/", title: vary.title ?? "Home" });
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
    new Webhook("hook", {
      url: "https://hooks.example.com/",
      events: ["database.backup.failed"],
      secret: "a-signing-secret",
    });
    new Inbox("signup", {});
  };

const documented = { "cloudservices:api": "documented" };

/** The requests of the specification, by the form of their paths. */
const shown =
  /^(POST (\/shortener\/links|\/databases|\/webhooks|\/vps\/instances(\/\w+\/actions)?|\/tempmail\/inboxes)|GET \/shortener\/links|PUT \/databases\/\w+\/backup-schedule|GET \/tempmail\/inboxes\/\w+\/messages)$/;

describe("the mode `documented`", () => {
  it("never sends a request that the specification does not show", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const { stack } = await openCloud(program(), { sandbox, config: documented });
    expect((await stack.up()).summary).toEqual({ create: 6 });
    expect((await stack.up()).summary).toEqual({ same: 6 });
    expect((await stack.refresh()).summary).toEqual({ same: 6 });
    expect((await stack.up({ program: program({ hour: 4 }) })).summary).toEqual({ update: 1, same: 5 });

    const changed = await failureOf(stack.preview({ program: program({ hour: 4, title: "Start" }) }));
    expect(changed).toMatch(
      /title.*cannot be changed: the specification shows no request that updates a Link/,
    );
    expect(await failureOf(stack.destroy())).toMatch(
      /was not deleted: the specification shows no request that deletes/,
    );

    await stack.configure({ "cloudservices:undeletable": "abandon" });
    await stack.up({ program: program({ hour: 4 }) });
    const destroyed = await stack.destroy();
    expect(destroyed.summary).toEqual({ delete: 6 });
    expect(destroyed.stdout).toMatch(/was left at the service/);
    expect(sandbox.resources().length).toBeGreaterThan(0);

    const requests = takeRequests(sandbox);
    expect(requests.length).toBeGreaterThan(6);
    expect(requests.filter((request) => !shown.test(request))).toEqual([]);
  });

  it("sees by the list that a link is gone", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const { stack } = await openCloud(async () => void new Link("home", { url: "https://example.com/" }), {
      sandbox,
      config: documented,
    });
    await stack.up();
    await sandbox.remove(sandbox.resources()[0]?.id ?? "");
    await stack.refresh();
    expect((await stack.export()).resources).toEqual([]);
  });
});

describe("a service without the assumed routes, in the mode `conventional`", () => {
  it("is never taken for one whose resources are gone", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const { stack } = await openCloud(
      async () =>
        void new Webhook("hook", {
          url: "https://hooks.example.com/",
          events: ["database.backup.failed"],
          secret: "a-signing-secret",
        }),
      { sandbox },
    );
    await stack.up();
    await stack.refresh();
    expect((await stack.export()).resources).toHaveLength(1);
    expect(await failureOf(stack.destroy())).toMatch(
      /was not deleted: the service has no route that deletes a Webhook/,
    );
  });
});
