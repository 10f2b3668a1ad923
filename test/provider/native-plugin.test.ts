import { ComponentResource, type ComponentResourceOptions, secret } from "@pulumi/pulumi";
import type { StepEventStateMetadata } from "@pulumi/pulumi/automation/index.js";
import * as dynamic from "pulumi-cloudservices";
import {
  BackupSchedule,
  Database,
  getLinksOutput,
  Inbox,
  Link,
  Provider,
  VpsInstance,
  Webhook,
} from "pulumi-cloudservices/native";
import { beforeAll, describe, expect, it } from "vitest";
import { openNativeStack } from "../support/native.js";
import { sixKinds } from "../support/six-kinds.js";
import { failureOf } from "../support/stack.js";
import type { State } from "../support/state.js";
import { openDatabase, openSandbox, takeRequests } from "../support/test-stack.js";

const region = "eu-central-1";
const orders = { engine: "postgresql", version: "16", plan: "db-starter-1", region } as const;

/** The program of `sixKinds` with the native classes. */
const nativeKinds = (): void => {
  const web = new VpsInstance("web", {
    plan: "vps-micro-1",
    region,
    image: "debian-12",
    allowStopping: true,
  });
  new Link("home", { url: web.ipv4.apply((ip) => `http://${ip}/`), title: "Home" });
  const database = new Database("orders", orders);
  database.backupSchedule("nightly", { frequency: "daily", hourUtc: 3, retentionDays: 7 });
  new Webhook("backups", {
    url: "https://hooks.example.com/backups",
    events: ["database.backup.completed"],
    secret: "a-signing-secret",
  });
  new Inbox("signup", { ttlMinutes: 120 });
};

describe("several accounts in one program", () => {
  const accounts = async () => {
    const [eu, us] = [await openSandbox(), await openSandbox()];
    return { eu, us };
  };

  it("each resource, also inside a component, belongs to the account of its provider", async () => {
    const { eu, us } = await accounts();
    class Site extends ComponentResource {
      constructor(name: string, opts: ComponentResourceOptions) {
        super("test:index:Site", name, {}, opts);
        new Link(name, { url: `https://example.com/${name}` }, { parent: this });
      }
    }
    const program = async () => {
      const euro = new Provider("eu", { baseUrl: eu.baseUrl, apiKey: eu.apiKey, pollInterval: 20 });
      const other = new Provider("us", { baseUrl: us.baseUrl, apiKey: us.apiKey, allowUnlisted: true });
      new Site("one", { providers: [euro] });
      new Link("two", { url: "https://example.com/two" }, { provider: other });
      const links = getLinksOutput({}, { provider: other });
      return { targets: links.apply((found) => found.map(({ destinationUrl }) => destinationUrl)) };
    };
    const { sandbox, stack } = await openNativeStack(program);
    await stack.up();
    expect(eu.resources()).toMatchObject([{ fields: { destination_url: "https://example.com/one" } }]);
    expect(us.resources()).toMatchObject([{ fields: { destination_url: "https://example.com/two" } }]);
    const again = await stack.up();
    expect(again.outputs["targets"]?.value).toEqual(["https://example.com/two"]);
    expect(again.summary["same"]).toBe(5);
    expect((await stack.export()).text).not.toContain(eu.apiKey);
    await stack.destroy();
    expect([...eu.resources(), ...us.resources(), ...sandbox.resources()]).toEqual([]);
  });

  it("a wrong setting is rejected by its name", async () => {
    const wrong = async () =>
      void new Provider("eu", { baseUrl: "ftp://example.com", apiKey: secret("key-1234") });
    const { stack } = await openNativeStack(wrong);
    const message = await failureOf(stack.preview());
    expect(message).toMatch(/baseUrl must be an absolute https URL/);
    expect(message).not.toContain("key-1234");
    const misspelt = async () =>
      void Reflect.construct(Provider, [
        "eu",
        { baseUrl: "https://a.test/v1", apiKey: "k" },
        { version: "9.9.9" },
      ]);
    expect(await failureOf(stack.preview({ program: misspelt }))).toMatch(
      /9\.9\.9.*0\.1\.0.*install one version/s,
    );
  });
});

describe("a preview knows what an update does not change", () => {
  it("no dependent of a database is replaced because its plan changes", async () => {
    const program = (plan: string) => async () => {
      const database = new Database("orders", { ...orders, plan });
      new Link("docs", { url: "https://example.com/", slug: database.database });
      new Link("other", { url: database.host.apply((host) => `https://${host}/`) });
    };
    const { stack } = await openNativeStack(program("db-starter-1"));
    await stack.up();
    const larger = program("db-standard-2");
    // The host may change with the plan, the name of the initial database does not.
    expect((await stack.preview({ program: larger })).summary).toEqual({ update: 2, same: 1 });
    expect((await stack.up({ program: larger })).summary).toEqual({ update: 1, same: 2 });
  });

  it("a creation shows defaults and derived names", async () => {
    const { stack } = await openNativeStack(async () => void new Inbox("signup"));
    const { events } = await stack.preview();
    const inputs = events.flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata.new?.inputs ?? []);
    expect(inputs).toContainEqual(
      expect.objectContaining({ prefix: expect.stringMatching(/^signup-/), ttlMinutes: 60 }),
    );
  });
});

type Kind = typeof Link | typeof Database | typeof VpsInstance | typeof Webhook;

/** The engine's spelling of an unknown value. */
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

describe("what a preview shows of an update is what the update leaves", () => {
  const server = { plan: "vps-micro-1", region, image: "debian-12", allowStopping: true };
  const link = { url: "https://example.com/" };
  const hook = {
    url: "https://example.com/hook",
    events: ["vps.snapshot.completed"],
    secret: "a-signing-secret",
  };
  const cases: readonly (readonly [what: string, kind: Kind, inputs: object, change: object])[] = [
    ["a link's url and title", Link, link, { url: "https://example.com/b", title: "B" }],
    ["a database's name", Database, orders, { name: "renamed" }],
    ["a database's plan", Database, orders, { plan: "db-standard-2" }],
    ["a database's version", Database, { ...orders, version: "15" }, { version: "16" }],
    ["a database's pool", Database, orders, { enableConnectionPool: true }],
    ["a server's name and backups", VpsInstance, server, { name: "renamed", backupsEnabled: true }],
    ["a server's plan", VpsInstance, server, { plan: "vps-standard-2" }],
    ["a server's power", VpsInstance, server, { powerState: "stopped" }],
    ["a webhook's events", Webhook, hook, { events: ["database.backup.completed"] }],
  ];
  const nameOf = (what: string) => what.replaceAll(/\W/g, "-");
  const urnEnd = (what: string) => `::${nameOf(what)}`;

  let shown: StepEventStateMetadata[] = [];
  let left: State["resources"] = [];
  beforeAll(async () => {
    const program = (isChanged: boolean) => async () => {
      for (const [what, kind, inputs, change] of cases)
        Reflect.construct(kind, [nameOf(what), { ...inputs, ...(isChanged && change) }]);
    };
    const { stack } = await openNativeStack(program(false));
    await stack.up();
    const { events, summary } = await stack.preview({ program: program(true) });
    expect(summary).toEqual({ update: cases.length });
    shown = events.flatMap(({ resOutputsEvent }) => resOutputsEvent?.metadata.new ?? []);
    await stack.up();
    left = (await stack.export()).resources;
  });

  it.each(cases)("%s", (what) => {
    const preview = shown.find(({ urn }) => urn.endsWith(urnEnd(what)));
    const known = Object.entries(preview?.outputs ?? {}).filter(
      // Secrets are encrypted anew in each state.
      ([name, value]) => name !== "__state" && typeof value !== "object" && value !== UNKNOWN,
    );
    expect(known).not.toEqual([]);
    const resource = left.find(({ urn }) => urn.endsWith(urnEnd(what)));
    expect(resource?.outputs).toMatchObject(Object.fromEntries(known));
  });
});

describe("an import", () => {
  it("takes over an account of all kinds without a request that changes it", async () => {
    const { sandbox, stack } = await openNativeStack(async () => nativeKinds());
    await stack.up();
    const before = sandbox.resources();
    const idOf = (kind: string) => before.find((resource) => resource.kind === kind)?.id ?? "";
    const address = before.find(({ kind }) => kind === "VpsInstance")?.fields["ipv4"];
    const slug = String(before.find(({ kind }) => kind === "Link")?.fields["slug"]);
    const importing = async () => {
      new VpsInstance(
        "server",
        {
          name: String(before.find(({ kind }) => kind === "VpsInstance")?.fields["name"]),
          plan: "vps-micro-1",
          region,
          image: "debian-12",
          allowStopping: true,
        },
        { import: idOf("VpsInstance") },
      );
      new Link("start", { url: `http://${address}/`, slug, title: "Home" }, { import: idOf("Link") });
      new Database(
        "shop",
        { ...orders, name: String(before.find(({ kind }) => kind === "Database")?.fields["name"]) },
        { import: idOf("Database") },
      );
      new BackupSchedule(
        "nightly",
        { databaseId: idOf("Database"), frequency: "daily", hourUtc: 3, retentionDays: 7 },
        { import: idOf("Database") },
      );
      new Webhook(
        "backups",
        {
          url: "https://hooks.example.com/backups",
          events: ["database.backup.completed"],
          secret: "a-signing-secret",
        },
        { import: idOf("Webhook") },
      );
      new Inbox("mail", { ttlMinutes: 120, prefix: "signup" }, { import: idOf("Inbox") });
    };
    const other = await openNativeStack(importing, { sandbox });
    takeRequests(sandbox);
    const up = await other.stack.up();
    expect(up.summary).toEqual({ import: 6 });
    expect(up.stdout).toMatch(/does not return its plan, region, so these values are unverified/);
    expect(takeRequests(sandbox).filter((request) => !request.startsWith("GET"))).toEqual([]);
    expect(sandbox.resources()).toEqual(before);
    expect((await other.stack.preview()).summary).toEqual({ same: 6 });
    await other.stack.refresh();
    expect((await other.stack.preview()).summary).toEqual({ same: 6 });
    expect((await other.stack.destroy()).summary).toEqual({ delete: 6 });
    expect(sandbox.resources()).toEqual([]);
  });

  it("is rejected with one list of what differs, and says when nothing exists", async () => {
    const { sandbox, stack } = await openNativeStack(
      async () => void new Link("docs", { url: "https://example.com/", slug: "docs" }),
    );
    await stack.up();
    const [link] = sandbox.resources();
    const importing = (url: string, id: string) => async () =>
      void new Link("docs", { url, slug: "docs" }, { import: id });
    const other = await openNativeStack(importing("https://example.com/other", link?.id ?? ""), { sandbox });
    const message = await failureOf(other.stack.up());
    expect(message).toMatch(
      /cannot be imported: url differs.*`url: "https:\/\/example.com\/"` in the program/s,
    );
    expect(
      await failureOf(other.stack.up({ program: importing("https://example.com/", "lnk_missing") })),
    ).toMatch(/lnk_missing.*does not exist/);
  });
});

describe("an import, followed by", () => {
  const pooled = { ...orders, name: "shop", enableConnectionPool: true };

  /** A stack that has imported a database, whose program leaves out what it does not set. */
  async function imported() {
    const { sandbox, id } = await openDatabase(pooled);
    const importing = async () => void new Database("shop", { ...orders, name: "shop" }, { import: id });
    const { stack } = await openNativeStack(importing, { sandbox });
    expect((await stack.up()).summary).toEqual({ import: 1 });
    takeRequests(sandbox);
    return { stack, sandbox };
  }

  it("a run without the option keeps what the program does not set", async () => {
    const { sandbox, stack } = await imported();
    const program = async () => void new Database("shop", { ...orders, name: "shop" });
    expect((await stack.up({ program })).summary).toEqual({ same: 1 });
    expect(takeRequests(sandbox)).toEqual([]);
    const without = async () => void new Database("shop", { ...pooled, enableConnectionPool: false });
    expect((await stack.up({ program: without })).summary).toEqual({ update: 1 });
    expect(takeRequests(sandbox)).toContainEqual(expect.stringMatching(/^PATCH/));
  });

  it("the dynamic form changes nothing at the service", async () => {
    const { sandbox, stack } = await imported();
    const program = async () => void new dynamic.Database("shop", { ...orders, name: "shop" });
    await stack.up({ program });
    expect(takeRequests(sandbox)).toEqual([]);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });
});

describe("a change of the form", () => {
  it("from dynamic to native and back changes nothing at the service", async () => {
    const dynamicKinds = async () => void (await sixKinds()());
    const { sandbox, stack } = await openNativeStack(dynamicKinds);
    await stack.up();
    const before = sandbox.resources();
    takeRequests(sandbox);
    const native = async () => nativeKinds();
    expect((await stack.preview({ program: native })).summary).toEqual({ same: 6 });
    expect((await stack.up({ program: native })).summary).toEqual({ same: 6 });
    expect((await stack.preview({ program: native })).summary).toEqual({ same: 6 });
    await stack.up({ program: dynamicKinds });
    expect((await stack.preview({ program: dynamicKinds })).summary).toEqual({ same: 6 });
    expect(takeRequests(sandbox)).toEqual([]);
    expect(sandbox.resources()).toEqual(before);
    expect((await stack.export()).text).not.toContain("a-signing-secret");
    await stack.destroy();
    expect(sandbox.resources()).toEqual([]);
  });

  it("is rejected where a program declares a resource in both forms", async () => {
    const both = async () => {
      new dynamic.Link("docs", { url: "https://example.com/" });
      new Link("docs", { url: "https://example.com/" });
    };
    const { sandbox, stack } = await openNativeStack(both);
    const message = await failureOf(stack.preview());
    expect(message).toMatch(/Link "docs" is declared in both forms \[DECLARED_TWICE\]/);
    expect(message).not.toMatch(/\n\s+at /);
    expect(sandbox.resources()).toEqual([]);
  });

  it("finishes a database that the other form could not", async () => {
    const half = async () =>
      void new dynamic.Database("orders", orders, { customTimeouts: { create: "2s" } });
    const { sandbox, stack } = await openNativeStack(half);
    sandbox.progress("database", { mode: "time", ms: 3_600_000 });
    expect(await failureOf(stack.up())).toMatch(/exists, but is not ready/);
    const [left] = sandbox.resources();
    await sandbox.clock.advance(3_600_000);
    const native = async () => void new Database("orders", orders);
    expect((await stack.up({ program: native })).summary).toEqual({ update: 1 });
    expect(sandbox.resources().map(({ id }) => id)).toEqual([left?.id]);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });
});
