import { CloudServices } from "cloudservices-sdk";
import { Database, Link, VpsInstance } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { failureOf, type TestStack } from "../support/stack.js";
import { openDatabase, openSandbox, openTestStack, takeRequests } from "../support/test-stack.js";

const inputs = { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" };

const existing = () => openDatabase({ name: "made-by-hand", ...inputs });

describe("pain: import is impossible", () => {
  it("`adopt` reads an existing resource and updates what differs, and the next preview is empty", async () => {
    const { sandbox, id } = await existing();
    const adopting = async () =>
      void new Database("orders", { ...inputs, enableConnectionPool: true, adopt: id });
    const { stack } = await openTestStack(adopting, { sandbox });
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

  it("the option `import` adopts a resource that matches the program, and changes nothing", async () => {
    const { sandbox, id } = await existing();
    const importing = (name: string) => async () =>
      void new Database("orders", { ...inputs, name }, { import: id });
    const { stack } = await openTestStack(importing("another-name"), { sandbox });
    expect(await failureOf(stack.up())).toMatch(
      /cannot be imported: name differs from the program \[IMPORT_MISMATCH\]/,
    );
    expect(sandbox.resources()).toMatchObject([{ id, fields: { name: "made-by-hand" } }]);
    expect((await stack.export()).resources).toEqual([]);

    expect((await stack.up({ program: importing("made-by-hand") })).summary).toEqual({ create: 1 });
    expect(takeRequests(sandbox).filter((request) => request === "POST /databases")).toEqual([]);
    const kept = async () => void new Database("orders", { ...inputs, name: "made-by-hand" });
    expect((await stack.preview()).summary).toEqual({ same: 1 });
    expect((await stack.up({ program: kept })).summary).toEqual({ same: 1 });
    expect(sandbox.resources().map((resource) => resource.id)).toEqual([id]);
  });

  it("rejects a missing resource, and a difference that only a new resource could resolve", async () => {
    const { sandbox, id } = await existing();
    const missing = async () => void new Database("orders", { ...inputs, adopt: "db_missing" });
    const { stack } = await openTestStack(missing, { sandbox });
    expect(await failureOf(stack.up())).toMatch(
      /Database "orders" \(db_missing\) not adopted: .*404.*\[ADOPT_NOT_FOUND\].* remove `adopt` from the program/s,
    );
    const other = async () =>
      void new Database("orders", { ...inputs, engine: "mysql", version: "8.4", adopt: id });
    expect(await failureOf(stack.up({ program: other }))).toMatch(
      /cannot be adopted: its engine differs from the program \[ADOPT_MISMATCH\]/,
    );
    expect((await stack.export()).resources).toEqual([]);
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("rejects a resource that the stack already manages", async () => {
    const { sandbox, stack } = await openTestStack(
      async () => void new Link("one", { url: "https://example.com/" }),
    );
    await stack.up();
    const id = sandbox.resources()[0]?.id ?? "";
    const twice = async () => {
      const one = new Link("one", { url: "https://example.com/" });
      new Link("two", { url: "https://example.com/", adopt: id }, { dependsOn: one });
    };
    expect(await failureOf(stack.up({ program: twice }))).toContain("[ALREADY_MANAGED]");
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("adopts a resource that the program has read with `get`, even in a run that refreshes", async () => {
    const { sandbox, id } = await existing();
    const { stack } = await openTestStack(async () => void Database.get("orders", id), { sandbox });
    await stack.up();
    const managed = async () => void new Database("orders", { ...inputs, adopt: id });
    await stack.up({ program: managed, refresh: true });
    expect((await stack.preview()).summary).toEqual({ same: 1 });
    expect(sandbox.resources().map((resource) => resource.id)).toEqual([id]);
    expect((await stack.destroy()).summary).toEqual({ delete: 1 });
    expect(sandbox.resources()).toEqual([]);
  });

  it("warns about values that the service does not return, because correcting one would replace the resource", async () => {
    const { sandbox, id } = await existing();
    const adopting = (region: string) => async () =>
      void new Database("orders", { ...inputs, region, adopt: id });
    const { stack } = await openTestStack(adopting("us-east-1"), { sandbox });
    expect((await stack.up()).stdout).toMatch(
      /Database "orders" \(db_\w+\) was adopted\. The service does not return its region,.*`pulumi state delete`/,
    );
    expect(await failureOf(stack.preview({ program: adopting("eu-central-1") }))).toMatch(
      /a change of region creates a new resource, which cannot adopt the old one.*REPLACE_ADOPTED.*pulumi state delete/s,
    );
  });

  it("moves a resource to a new name without deleting it", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new Database("old", inputs));
    await stack.up();
    const id = sandbox.resources()[0]?.id ?? "";
    const moved = async () => void new Database("new", { ...inputs, adopt: id });
    await stack.up({ program: moved });
    expect(sandbox.resources().map((resource) => resource.id)).toEqual([id]);
    expect((await stack.export()).resources.map(({ urn }) => urn.split("::").at(-1))).toEqual(["new"]);
    expect((await stack.up()).summary).toEqual({ same: 1 });
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("never deletes a renamed resource, even if another one takes the old name", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new Database("old", inputs));
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
    expect(await failureOf(stack.up({ program: wrong }))).toContain("[ADOPTED_TWICE]");
    expect(await failureOf(stack.preview({ program: wrong }))).toContain("[MANAGED_TWICE]");
    await stack.up({ program: async () => renamed() });
    expect(sandbox.resources().map((resource) => resource.id)).toEqual([id]);
    expect((await stack.export()).resources.map(({ urn }) => urn.split("::").at(-1))).toEqual(["new"]);
  });

  it("changes no input that the program does not set, and powers no server off without consent", async () => {
    const sandbox = await openSandbox();
    const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
    const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
    const { id } = await client.vps.create({ name: "by-hand", ...server, backupsEnabled: true });
    await client.vps.waitUntilReady(id, { interval: 20 });
    const bigger = { ...server, plan: "vps-standard-2", adopt: id };
    const { stack } = await openTestStack(async () => void new VpsInstance("web", bigger), { sandbox });
    expect(await failureOf(stack.up())).toContain("allowStopping: true");
    expect(sandbox.resources()[0]?.fields).toMatchObject({ status: "running", plan: "vps-micro-1" });

    const allowed = async () => void new VpsInstance("web", { ...bigger, allowStopping: true });
    await stack.up({ program: allowed });
    const fields = { status: "running", plan: "vps-standard-2", backups_enabled: true };
    expect(sandbox.resources()[0]?.fields).toMatchObject(fields);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });
});

describe("adopting in the mode `documented`", () => {
  const url = "https://example.com/old";
  const config = { "cloudservices:api": "documented" };

  it("rejects what no documented request can change, and warns about what none can read", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
    const { id } = await client.links.create({ url, slug: "docs" });
    const adopting = (to: string) => async () =>
      void new Link("docs", { url: to, slug: "docs", title: "Docs", passcode: "a-passcode", adopt: id });
    const { stack } = await openTestStack(adopting("https://example.com/new"), { sandbox, config });
    expect(await failureOf(stack.up())).toMatch(
      /Link "docs" \(link_\w+\) .*its url differs .*\[ADOPT_MISMATCH\].*no request that updates a Link/s,
    );
    expect((await stack.export()).resources).toEqual([]);

    const adopted = await stack.up({ program: adopting(url) });
    expect(adopted.stdout).toMatch(/does not return its title, passcode, so these values are unverified/);
    expect(adopted.stdout).not.toContain("a-passcode");
    expect((await stack.refresh()).summary).toEqual({ same: 1 });
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });

  it("rejects taking over what an interrupted run left when no documented request can change it", async () => {
    const { stack, sandbox } = await openTestStack(async () => void new Link("docs", { url }), {
      service: { profile: "documented" },
      config: { ...config, "cloudservices:adoptInterrupted": "true" },
    });
    await interrupt(stack);
    const changed = async () => void new Link("docs", { url: "https://example.com/new" });
    expect(await failureOf(stack.up({ program: changed }))).toMatch(
      /its url differs .*\[ADOPT_MISMATCH\].*delete link_\w+ at the service/s,
    );
    expect((await stack.export()).resources).toEqual([]);
    expect((await stack.up({ program: async () => void new Link("docs", { url }) })).summary).toEqual({
      create: 1,
    });
    expect(sandbox.resources()).toHaveLength(1);
  });
});

describe("a resource that an interrupted run left", () => {
  const url = "https://example.com/";

  it("is taken over without the inputs that the program has removed since", async () => {
    const before = async () =>
      void new Link("docs", {
        url,
        expiresAt: "2099-01-01T00:00:00Z",
        passcode: "a-passcode",
        title: "Docs",
      });
    const { stack, sandbox } = await openTestStack(before, {
      config: { "cloudservices:adoptInterrupted": "true" },
    });
    await interrupt(stack);
    await stack.up({ program: async () => void new Link("docs", { url, title: "Docs" }) });
    expect(sandbox.resources()).toHaveLength(1);
    const fields = sandbox.resources()[0]?.fields;
    expect(fields).toMatchObject({ title: "Docs" });
    for (const dropped of ["expires_at", "passcode"]) expect(fields?.[dropped] ?? null).toBeNull();
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });

  it("can be replaced after its adoption, although it has the derived name", async () => {
    const server = { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" };
    const web = (more: object) => async () => void new VpsInstance("web", { ...server, ...more });
    const { stack, sandbox } = await openTestStack(web({}));
    await interrupt(stack);
    const [left] = sandbox.resources();
    await stack.up({ program: web({ adopt: left?.id ?? "" }) });
    expect((await stack.up({ program: web({}) })).summary).toEqual({ same: 1 });
    expect((await stack.up({ program: web({ region: "us-east-1" }) })).summary).toEqual({ replace: 1 });
    expect(sandbox.resources()).toHaveLength(1);
    expect(sandbox.resources()[0]?.fields["name"]).not.toBe(left?.fields["name"]);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });
});

/** Leaves at the service what the program declares, and no word of it in the state. */
async function interrupt(stack: TestStack): Promise<void> {
  const empty = await stack.export();
  await stack.up();
  await stack.import(empty);
}
