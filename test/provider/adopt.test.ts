import { CloudServices } from "cloudservices-sdk";
import { Database, Link, VpsInstance } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { openCloud, openSandbox, takeRequests } from "../support/cloud.js";
import { failureOf } from "../support/stack.js";

const inputs = { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" };

async function existing() {
  const sandbox = await openSandbox();
  const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
  const { id } = await client.databases.create({ name: "made-by-hand", ...inputs });
  await client.databases.waitUntilReady(id, { interval: 20 });
  takeRequests(sandbox);
  return { sandbox, client, id };
}

describe("pain: import is impossible", () => {
  it("adopt manages what exists: it reads, changes in place what differs, and the next preview is empty", async () => {
    const { sandbox, id } = await existing();
    const adopting = async () =>
      void new Database("orders", { ...inputs, enableConnectionPool: true, adopt: id });
    const { stack } = await openCloud(adopting, { sandbox });
    expect((await stack.up()).summary).toEqual({ create: 1 });
    expect(takeRequests(sandbox).filter((request) => request === "POST /databases")).toEqual([]);
    expect(sandbox.resources()).toMatchObject([
      { id, fields: { name: "made-by-hand", enable_connection_pool: true } },
    ]);
    expect((await stack.preview()).summary).toEqual({ same: 1 });

    const settled = async () => void new Database("orders", { ...inputs, enableConnectionPool: true });
    expect((await stack.up({ program: settled })).summary).toEqual({ same: 1 });
    expect((await stack.destroy()).summary).toEqual({ delete: 1 });
    expect(sandbox.resources()).toEqual([]);
  });

  it("refuses what is not there, and what only a new resource could make right", async () => {
    const { sandbox, id } = await existing();
    const missing = async () => void new Database("orders", { ...inputs, adopt: "db_missing" });
    const { stack } = await openCloud(missing, { sandbox });
    expect(await failureOf(stack.up())).toMatch(
      /Database "orders" could not be adopted.*(not found|does not exist|404)/i,
    );
    const other = async () =>
      void new Database("orders", { ...inputs, engine: "mysql", version: "8.4", adopt: id });
    expect(await failureOf(stack.up({ program: other }))).toMatch(
      /cannot be adopted: its engine is not what the program asks for/,
    );
    expect((await stack.export()).resources).toEqual([]);
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("refuses a resource that the stack manages already", async () => {
    const { sandbox, stack } = await openCloud(
      async () => void new Link("one", { url: "https://example.com/" }),
    );
    await stack.up();
    const id = sandbox.resources()[0]?.id ?? "";
    const twice = async () => {
      const one = new Link("one", { url: "https://example.com/" });
      new Link("two", { url: "https://example.com/", adopt: id }, { dependsOn: one });
    };
    expect(await failureOf(stack.up({ program: twice }))).toContain("is managed by this stack already");
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("moves a resource to a new name: the old one leaves the state, and nothing is deleted", async () => {
    const { sandbox, stack } = await openCloud(async () => void new Database("old", inputs));
    await stack.up();
    const id = sandbox.resources()[0]?.id ?? "";
    const moved = async () => void new Database("new", { ...inputs, adopt: id });
    await stack.up({ program: moved });
    expect(sandbox.resources().map((resource) => resource.id)).toEqual([id]);
    expect((await stack.export()).resources.map(({ urn }) => urn.split("::").at(-1))).toEqual(["new"]);
    expect((await stack.up()).summary).toEqual({ same: 1 });
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("never deletes what has a new name, whoever takes the old one", async () => {
    const { sandbox, stack } = await openCloud(async () => void new Database("old", inputs));
    await stack.up();
    const id = sandbox.resources()[0]?.id ?? "";
    const renamed = (dependsOn?: Database) =>
      void new Database("new", inputs, { aliases: [{ name: "old" }], ...(dependsOn && { dependsOn }) });
    await stack.up({ program: async () => renamed() });
    // The old name again, for something else: it derives the name that the renamed one has.
    const both = async () => renamed(new Database("old", inputs));
    expect(await failureOf(stack.up({ program: both }))).toContain(
      "`pulumi stack --show-ids` does not show it",
    );
    const wrong = async () => renamed(new Database("old", { ...inputs, adopt: id }));
    expect(await failureOf(stack.up({ program: wrong }))).toContain(
      "another resource of this run has adopted it",
    );
    expect(await failureOf(stack.preview({ program: wrong }))).toContain("is in this stack twice");
    await stack.up({ program: async () => renamed() });
    expect(sandbox.resources().map((resource) => resource.id)).toEqual([id]);
    expect((await stack.export()).resources.map(({ urn }) => urn.split("::").at(-1))).toEqual(["new"]);
  });

  it("leaves alone what the program does not mention, and powers nothing off without consent", async () => {
    const sandbox = await openSandbox();
    const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
    const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
    const { id } = await client.vps.create({ name: "by-hand", ...server, backupsEnabled: true });
    await client.vps.waitUntilSettled(id, { interval: 20 });
    const bigger = { ...server, plan: "vps-standard-2", adopt: id };
    const { stack } = await openCloud(async () => void new VpsInstance("web", bigger), { sandbox });
    expect(await failureOf(stack.up())).toContain("Set allowStopping to true");
    expect(sandbox.resources()[0]?.fields).toMatchObject({ status: "running", plan: "vps-micro-1" });

    const allowed = async () => void new VpsInstance("web", { ...bigger, allowStopping: true });
    await stack.up({ program: allowed });
    const fields = { status: "running", plan: "vps-standard-2", backups_enabled: true };
    expect(sandbox.resources()[0]?.fields).toMatchObject(fields);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });
});
