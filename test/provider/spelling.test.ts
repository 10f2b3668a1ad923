import { Database, Link, VpsAction, VpsInstance, Webhook } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { openProxy } from "../support/proxy.js";
import { openStack } from "../support/stack.js";
import { declaring, openSandbox, openTestStack, quick, takeRequests } from "../support/test-stack.js";

const region = "eu-central-1";

describe("pain: a fleet is replaced because an image name became an image id", () => {
  it("the program's spelling is kept when the service's is equivalent", async () => {
    const program = async () => {
      for (const name of ["one", "two"])
        new VpsInstance(name, {
          plan: "vps-micro-1",
          region,
          image: "debian-12",
          sshKeys: ["ssh_key_2", "ssh_key_1"],
        });
      new Link("docs", {
        url: "HTTPS://Example.com",
        domain: "Go.Example.com",
        expiresAt: "2099-01-01T01:00:00+01:00",
      });
      new Webhook("hook", {
        url: "https://HOOKS.example.com",
        events: ["vps.snapshot.completed", "database.backup.failed"],
        secret: "a-signing-secret",
      });
    };
    const { sandbox, stack } = await openTestStack(program);
    await stack.up();
    const [link, webhook, ...servers] = ["Link", "Webhook", "VpsInstance"].flatMap((wanted) =>
      sandbox.resources().filter(({ kind }) => kind === wanted),
    );
    for (const { id } of servers)
      sandbox.change(id, { image: "img_40318", ssh_keys: ["ssh_key_1", "ssh_key_2"] });
    sandbox.change(link?.id ?? "", { destination_url: "https://example.com/", domain: "go.example.com" });
    sandbox.change(webhook?.id ?? "", {
      url: "https://hooks.example.com/",
      events: ["database.backup.failed", "vps.snapshot.completed"],
    });

    expect((await stack.refresh()).summary).toEqual({ same: 4 });
    expect((await stack.preview()).summary).toEqual({ same: 4 });
    expect((await stack.export()).resources.map(({ outputs }) => outputs)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ image: "debian-12", sshKeys: ["ssh_key_2", "ssh_key_1"] }),
        expect.objectContaining({ url: "HTTPS://Example.com", domain: "Go.Example.com" }),
      ]),
    );
  });
});

describe("pain: an empty list replaces a server and repeats an action", () => {
  it.each([
    ["is added", {}, { sshKeys: [] }, {}, { triggers: [] }],
    ["is removed", { sshKeys: [] }, {}, { triggers: [] }, {}],
  ])("nothing happens when it %s", async (_what, before, after, done, again) => {
    const program = (keys: { sshKeys?: string[] }, triggers: { triggers?: unknown[] }) => async () => {
      const web = new VpsInstance("web", { plan: "vps-micro-1", region, image: "debian-12", ...keys });
      new VpsAction("act", { instanceId: web.id, action: "rebuild", ...triggers });
    };
    const { sandbox, stack } = await openTestStack(program(before, done));
    await stack.up();
    takeRequests(sandbox);
    expect((await stack.preview({ program: program(after, again) })).summary).toEqual({ same: 2 });
    expect((await stack.up()).summary).toEqual({ same: 2 });
    expect((await stack.refresh()).summary).toEqual({ same: 2 });
    expect((await stack.preview()).summary).toEqual({ same: 2 });
    expect(takeRequests(sandbox).filter((request) => !request.startsWith("GET "))).toEqual([]);
  });
});

describe('pain: "Unexpected struct type"', () => {
  it("null and undefined count as absent, in inputs and in responses", async () => {
    const program = async () => {
      declaring(Link)("docs", { url: "https://example.com/", title: null, domain: undefined, slug: null });
      declaring(Database)(
        "orders",
        { engine: "postgresql", version: "16", plan: "db-starter-1", region, vpcId: null },
        { customTimeouts: { create: undefined } },
      );
      declaring(VpsInstance)("web", {
        plan: "vps-micro-1",
        region,
        image: "debian-12",
        userData: undefined,
        sshKeys: null,
      });
    };
    const sandbox = await openSandbox();
    const proxy = await openProxy(sandbox);
    const stack = await openStack({ program, sandbox: proxy, config: quick });
    const emptied = ["created_at", "ipv6", "specs", "qr_code_url", "pool_uri", "vpc_id", "status_reason"];
    const nothing = Object.fromEntries(emptied.map((field) => [field, null]));
    const isRecord = (value: unknown) => typeof value === "object" && value !== null && "id" in value;
    proxy.rewrite((response) =>
      JSON.stringify(
        JSON.parse(response, (_, value) => (isRecord(value) ? { ...value, ...nothing } : value)),
      ),
    );
    expect((await stack.up()).summary).toEqual({ create: 3 });
    await stack.refresh();
    expect((await stack.up()).summary).toEqual({ same: 3 });
    expect((await stack.destroy()).summary).toEqual({ delete: 3 });
  });
});
