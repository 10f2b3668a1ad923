import {
  ComponentResource,
  type ComponentResourceOptions,
  type CustomResourceOptions,
  type ResourceTransform,
} from "@pulumi/pulumi";
import { Database, Link } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { isNative } from "../support/form.js";
import { failureOf, openStack } from "../support/stack.js";
import { openSandbox, openTestStack, quick, takeRequests } from "../support/test-stack.js";

const link =
  (
    inputs: { url?: string; title?: string; slug?: string; domain?: string },
    options?: CustomResourceOptions,
    name = "docs",
  ) =>
  async () =>
    void new Link(name, { url: "https://example.com/", ...inputs }, options);

const database = { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" };

describe("the engine's options", () => {
  it("ignoreChanges, replaceOnChanges and protect work as documented", async () => {
    const { sandbox, stack } = await openTestStack(link({ title: "One" }));
    await stack.up();
    const [first] = sandbox.resources();
    expect(
      (await stack.up({ program: link({ title: "Two" }, { ignoreChanges: ["title"] }) })).summary,
    ).toEqual({ same: 1 });
    expect(
      (await stack.up({ program: link({ title: "Two" }, { replaceOnChanges: ["title"] }) })).summary,
    ).toEqual({ replace: 1 });
    expect(sandbox.resources()).toHaveLength(1);
    expect(sandbox.resources()[0]?.id).not.toBe(first?.id);

    await stack.up({ program: link({ title: "Two" }, { protect: true }) });
    expect(await failureOf(stack.up({ program: async () => {} }))).toContain("protect");
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("retainOnDelete leaves the resource at the service", async () => {
    const { sandbox, stack } = await openTestStack(link({}, { retainOnDelete: true }));
    await stack.up();
    expect((await stack.destroy()).summary).toEqual({ delete: 1 });
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("a new name or parent with an alias changes nothing", async () => {
    class Site extends ComponentResource {
      constructor() {
        super("test:index:Site", "site");
        const before = `urn:pulumi:dev::test::${Link.__pulumiType}::docs`;
        new Link("docs", { url: "https://example.com/" }, { parent: this, aliases: [before] });
        this.registerOutputs({});
      }
    }
    const { sandbox, stack } = await openTestStack(link({}, {}, "old"));
    await stack.up();
    const [before] = sandbox.resources();
    const renamed = link({}, { aliases: [{ name: "old" }] }, "docs");
    expect((await stack.up({ program: renamed })).summary).toEqual({ same: 1 });
    expect((await stack.up({ program: async () => void new Site() })).summary).toEqual({
      create: 1,
      same: 1,
    });
    expect(sandbox.resources()).toEqual([before]);
  });
});

describe("components", () => {
  /** A site with a link and a database as its children. */
  class Site extends ComponentResource {
    constructor(name: string, options: ComponentResourceOptions = {}) {
      super("test:index:Site", name, {}, options);
      new Link("docs", { url: "https://example.com/" }, { parent: this });
      new Database("orders", database, { parent: this });
      this.registerOutputs({});
    }
  }
  const titled = (title: string): ResourceTransform => {
    return ({ type, props, opts }) =>
      type.endsWith(":Link") ? { props: { ...props, title }, opts } : undefined;
  };

  it("rename and transform their children, even when diffs run in parallel", async () => {
    const sandbox = await openSandbox();
    const stack = await openStack({
      program: async () => void new Site("old", { transforms: [titled("One")] }),
      sandbox,
      config: quick,
      env: { PULUMI_PARALLEL_DIFF: "true", PULUMI_EXPERIMENTAL: "true" },
    });
    expect((await stack.up()).summary).toEqual({ create: 3 });
    await stack.import(await stack.export());
    expect((await stack.preview()).summary).toEqual({ same: 3 });
    takeRequests(sandbox);
    const renamed = async () =>
      void new Site("new", { aliases: [{ name: "old" }], transforms: [titled("Two")] });
    expect((await stack.up({ program: renamed })).summary).toEqual({ same: 2, update: 1 });
    expect(takeRequests(sandbox)).toEqual([expect.stringMatching(/^PATCH \/shortener\/links\/link_\w+$/)]);
    expect(sandbox.resources().map(({ fields }) => fields["title"])).toContain("Two");
  });
});

describe("a transform", () => {
  // The engine passes the option on to the native plugin, which has no such input.
  it.skipIf(isNative)(
    "limits waits through the input customTimeouts, because the engine does not pass the option on",
    async () => {
      const limited: ResourceTransform = ({ props, opts }) => ({
        props: { ...props, customTimeouts: { create: "1d" } },
        opts,
      });
      const { stack } = await openTestStack(link({}, { transforms: [limited] }));
      expect(await failureOf(stack.preview())).toMatch(/create must be a duration such as "90s"/);
    },
  );
});

describe("pain: create-before-delete meets a unique name", () => {
  it("a link that keeps its given slug is deleted first", async () => {
    const { sandbox, stack } = await openTestStack(link({ slug: "launch" }));
    await stack.up();
    const [first] = sandbox.resources();
    const replaced = link({ slug: "launch", url: "https://example.com/new" }, { replaceOnChanges: ["url"] });
    expect((await stack.up({ program: replaced })).summary).toEqual({ replace: 1 });
    expect(sandbox.resources()).toHaveLength(1);
    expect(sandbox.resources()[0]).toMatchObject({ fields: { slug: "launch" } });
    expect(sandbox.resources()[0]?.id).not.toBe(first?.id);
  });

  it("a derived name changes with the replacement, so the new resource is created first", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new Database("orders", database));
    await stack.up();
    const name = sandbox.resources()[0]?.fields["name"];
    const moved = async () => void new Database("orders", { ...database, region: "us-east-1" });
    const { events } = await stack.up({ program: moved });
    const steps = events.flatMap(({ resourcePreEvent }) =>
      resourcePreEvent?.metadata.type.endsWith("Database") ? [resourcePreEvent.metadata.op] : [],
    );
    expect(steps).toEqual(["create-replacement", "replace", "delete-replaced"]);
    expect(sandbox.resources()).toHaveLength(1);
    expect(sandbox.resources()[0]?.fields["name"]).not.toBe(name);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });

  it("a forced replacement, which looks like a first creation, fails and says how to continue", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new Database("orders", database));
    await stack.up();
    const urn = (await stack.export()).resources[0]?.urn ?? "";
    expect(await failureOf(stack.up({ replace: [urn] }))).toMatch(
      /db_\w+ already has .*\[NAME_IN_USE\].*in a forced replacement: set the option `deleteBeforeReplace: true`/s,
    );
    expect(sandbox.resources()).toHaveLength(1);
    const named = async () => void new Database("orders", { ...database, name: "orders-2" });
    expect((await stack.up({ program: named, replace: [urn] })).summary).toEqual({ replace: 1 });
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("a forced replacement takes another derived name when duplicates are allowed", async () => {
    const program = async () => {
      new Database("orders", database);
      new Link("docs", { url: "https://example.com/" });
    };
    const { sandbox, stack } = await openTestStack(program, {
      config: { "cloudservices:duplicates": "allow" },
    });
    await stack.up();
    const before = sandbox.resources().map(({ id }) => id);
    const urns = (await stack.export()).resources.map(({ urn }) => urn);
    expect((await stack.up({ replace: urns })).summary).toEqual({ replace: 2 });
    expect((await stack.preview()).summary).toEqual({ same: 2 });
    await stack.refresh();
    expect((await stack.preview()).summary).toEqual({ same: 2 });
    expect((await stack.up({ replace: urns })).summary).toEqual({ replace: 2 });
    expect((await stack.preview()).summary).toEqual({ same: 2 });
    const after = sandbox.resources().map(({ id }) => id);
    expect(after).toHaveLength(2);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
  });

  it("a forced replacement in a run that refreshes needs no setting", async () => {
    const { sandbox, stack } = await openTestStack(async () => void new Database("orders", database));
    await stack.up();
    const urn = (await stack.export()).resources[0]?.urn ?? "";
    expect((await stack.up({ replace: [urn], refresh: true })).summary).toMatchObject({ replace: 1 });
    expect(sandbox.resources()).toHaveLength(1);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });
});

describe("pain: stale enums in the provider block new plans", () => {
  it("the service validates an unlisted value, and the preview warns", async () => {
    const { stack } = await openTestStack(
      async () => void new Database("orders", { ...database, plan: "db-huge-64" }),
    );
    const preview = await stack.preview();
    expect(preview.summary).toEqual({ create: 1 });
    expect(preview.stdout).toContain('plan "db-huge-64" is not in the specification\'s list');
    expect(await failureOf(stack.up())).toMatch(/not created: .*plan/s);
  });
});

describe("pain: a smaller plan needs manual work", () => {
  it("replaceOnChanges replaces the database", async () => {
    const sized = (plan: string, options: object) => async () =>
      void new Database("orders", { ...database, plan }, options);
    const { sandbox, stack } = await openTestStack(sized("db-standard-2", {}));
    await stack.up();
    const [before] = sandbox.resources();
    expect(await failureOf(stack.preview({ program: sized("db-starter-1", {}) }))).toContain(
      '`replaceOnChanges: ["plan"]`',
    );
    const replacing = sized("db-starter-1", { replaceOnChanges: ["plan"] });
    expect((await stack.up({ program: replacing })).summary).toEqual({ replace: 1 });
    expect(sandbox.resources()).toHaveLength(1);
    expect(sandbox.resources()[0]?.id).not.toBe(before?.id);
    expect((await stack.preview()).summary).toEqual({ same: 1 });
  });
});
