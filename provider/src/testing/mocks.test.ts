import * as pulumi from "@pulumi/pulumi";
import { afterEach, describe, expect, it } from "vitest";
import { BackupSchedule, Database, Inbox, Link, VpsAction, VpsInstance, Webhook } from "../index.js";
import * as native from "../native/index.js";
import { mocks } from "./mocks.js";

const promised = <T>(output: pulumi.Output<T>): Promise<T> =>
  new Promise((resolve) => void output.apply(resolve));

const server = { plan: "vps-standard-2", region: "eu-central-1", image: "debian-12" };
const database = { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" };

/** A resource of another package. */
class Thing extends pulumi.CustomResource {
  declare readonly size: pulumi.Output<number>;
  constructor(name: string) {
    super("other:index:Thing", name, { size: undefined });
  }
}

afterEach(() => pulumi.runtime.setAllConfig({}));

describe.each([
  ["dynamic", { BackupSchedule, Database, Inbox, Link, VpsAction, VpsInstance, Webhook }],
  ["native", native],
])("in the %s form", (_form, kinds) => {
  it("returns outputs that fit the inputs", async () => {
    await pulumi.runtime.setMocks(mocks());
    const web = new kinds.VpsInstance("web", server);
    const orders = new kinds.Database("orders", { ...database, enableConnectionPool: true });
    const nightly = new kinds.BackupSchedule("nightly", {
      databaseId: orders.id,
      frequency: "daily",
      hourUtc: 3,
      retentionDays: 7,
    });
    const home = new kinds.Link("home", { url: web.ipv4.apply((ip) => `http://${ip}/`), slug: "home" });
    const inbox = new kinds.Inbox("signup", { ttlMinutes: 120 });
    const reboot = new kinds.VpsAction("reboot", { instanceId: web.id, action: "reboot" });
    const hook = new kinds.Webhook("hook", {
      url: "https://example.com/hook",
      events: ["database.backup.failed"],
      secret: "a-signing-secret",
    });

    expect(await promised(web.vcpus)).toBe(2);
    expect(await promised(web.ramMb)).toBe(4096);
    expect(await promised(web.monthlyPriceUsd)).toBe(15);
    expect(await promised(web.ipv4)).toMatch(/^192\.0\.2\.\d+$/);
    expect(await promised(home.url)).toBe(`http://${await promised(web.ipv4)}/`);
    expect(await promised(home.shortUrl)).toBe("https://go.example.com/home");
    expect(await promised(orders.poolUri)).toContain(`:${await promised(orders.password)}@`);
    expect(await promised(orders.storageGb)).toBe(20);
    expect(await promised(nightly.id)).toBe(await promised(orders.id));
    expect(await promised(reboot.id)).toBe(await promised(web.id));
    expect(await promised(inbox.expiresAt)).toBe("2026-01-01T02:00:00.000Z");
    expect(await promised(hook.createdAt)).toBe("2026-01-01T00:00:00.000Z");
    expect(await pulumi.isSecret(orders.connectionUri)).toBe(true);
    expect(await pulumi.isSecret(orders.host)).toBe(false);
  });
});

it("derives names as the provider does, and gives the same values in every run", async () => {
  const namesOf = async () => {
    await pulumi.runtime.setMocks(mocks(), "shop", "dev");
    const home = new Link("home", { url: "https://example.com/" });
    return [await promised(home.slug), await promised(home.id)];
  };
  const first = await namesOf();
  expect(first[0]).toMatch(/^[a-z0-9]{6,}$/);
  expect(await namesOf()).toEqual(first);
});

/** Registers a resource of the dynamic form. In a program, a mock that throws fails every output of the resource. */
const register = (all: pulumi.runtime.Mocks, kind: string, name: string, inputs: object) => async () =>
  all.newResource({ type: `pulumi-nodejs:dynamic/cloudservices:${kind}`, name, inputs, custom: true });

it("rejects a wrong input with the message of a preview", async () => {
  const wrong = { ...database, plan: "db-starter1" };
  await expect(register(mocks(), "Database", "orders", wrong)()).rejects.toThrow(
    /Database "orders".*\[INPUT_UNLISTED\]/,
  );
});

it("reads the stack's configuration", async () => {
  await pulumi.runtime.setMocks(mocks());
  pulumi.runtime.setAllConfig({ "cloudservices:allowUnlisted": "true" });
  const unlisted = new Database("orders", { ...database, plan: "db-starter1" });
  expect(await promised(unlisted.plan)).toBe("db-starter1");
});

it("refuses what two resources of a program may not share", async () => {
  const all = mocks();
  const inputs = { url: "https://example.com/", slug: "same" };
  await register(all, "Link", "one", inputs)();
  await expect(register(all, "Link", "two", inputs)()).rejects.toThrow("[DECLARED_TWICE]");
});

it("returns a resource that the program only reads, with its id", async () => {
  await pulumi.runtime.setMocks(mocks());
  const shared = Database.get("shared", "db_of_another_stack");
  expect(await promised(shared.id)).toBe("db_of_another_stack");
  expect(await promised(shared.port)).toBe(5432);
});

it("keeps what the program marks as secret", async () => {
  await pulumi.runtime.setMocks(mocks());
  const home = new Link("home", { url: pulumi.secret("https://example.com/private") });
  expect(await promised(home.url)).toBe("https://example.com/private");
  expect([await pulumi.isSecret(home.url), await pulumi.isSecret(home.slug)]).toEqual([true, false]);
});

it("leaves what depends on unknown values unknown in a preview", async () => {
  const { state } = await register(mocks(), "Link", "home", { url: pulumi.unknown, title: "Home" })();
  expect(state).toMatchObject({ title: "Home", clicksCount: 0 });
  expect(state).not.toHaveProperty("url");
});

it("leaves the resources and functions of other packages to other mocks", async () => {
  const others = {
    newResource: ({ name }: pulumi.runtime.MockResourceArgs) => ({ id: `other-${name}`, state: { size: 3 } }),
    call: () => ({ answer: 42 }),
  };
  await pulumi.runtime.setMocks(mocks(others));
  const thing = new Thing("thing");
  expect([await promised(thing.id), await promised(thing.size)]).toEqual(["other-thing", 3]);
  expect(await pulumi.runtime.invoke("other:index:ask", {})).toEqual({ answer: 42 });
  await pulumi.runtime.setMocks(mocks());
  expect(await promised(new Thing("thing").id)).toBe("thing-id");
  expect(await pulumi.runtime.invoke("other:index:ask", { to: "you" })).toEqual({ to: "you" });
});
