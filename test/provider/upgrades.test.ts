import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BackupSchedule, Database, Inbox, Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { stateOf } from "../support/state.js";
import { openTestStack, takeRequests } from "../support/test-stack.js";

const folder = fileURLToPath(new URL("../fixtures/states/", import.meta.url));
const region = "eu-central-1";

/** Every kind, with the least and with the most inputs. It never changes: the recorded states are of this program. */
const program = async () => {
  const web = new VpsInstance("web", { plan: "vps-micro-1", region, image: "debian-12" });
  new VpsInstance("web-full", {
    name: "web-full",
    plan: "vps-standard-2",
    region,
    image: "alpine-3.20",
    sshKeys: ["ssh_key_1"],
    backupsEnabled: true,
    userData: "#!/bin/sh",
    powerState: "stopped",
    allowStopping: true,
    replaceOnUserDataChange: true,
  });
  new Link("home", { url: web.ipv4.apply((ip) => `http://${ip}/`) });
  new Link("home-full", {
    url: "https://example.com/",
    domain: "go.example.com",
    slug: "home",
    title: "Home",
    expiresAt: "2099-01-01T00:00:00Z",
    passcode: "a-passcode",
    utmSource: "mail",
  });
  const orders = new Database("orders", {
    engine: "postgresql",
    version: "16",
    plan: "db-starter-1",
    region,
  });
  new Database(
    "orders-full",
    { name: "orders-full", engine: "mysql", version: "8.4", plan: "db-standard-2", region, vpcId: "vpc_1" },
    { customTimeouts: { create: "1h" } },
  );
  new BackupSchedule("nightly", { databaseId: orders.id, frequency: "daily", hourUtc: 3, retentionDays: 7 });
  new Webhook("hook", {
    url: "https://example.com/",
    events: ["database.backup.failed"],
    secret: "a-signing-secret",
  });
  new Inbox("signup", {});
  new Inbox("signup-full", {
    prefix: "signup",
    domain: "inbox.test",
    ttlMinutes: 1440,
    webhookUrl: "https://example.com/",
  });
};

/** `RECORD_STATE=0.1.0` records the state of the version that is about to be released. */
const { RECORD_STATE } = process.env;

if (RECORD_STATE !== undefined) {
  it("records the state of this version", async () => {
    const { stack } = await openTestStack(program);
    await stack.up();
    mkdirSync(folder, { recursive: true });
    const file = `${folder}${RECORD_STATE}.json`;
    expect(existsSync(file), "a released version's state never changes").toBe(false);
    writeFileSync(file, `${JSON.stringify(JSON.parse((await stack.export()).text), undefined, 2)}\n`);
  });
}

describe("pain: old provider code in the state causes updates after each upgrade", () => {
  it.each(readdirSync(folder))("a state written by %s previews without a change", async (file) => {
    const state = stateOf(readFileSync(folder + file, "utf8"));
    // Where it was recorded, the sandbox had another port.
    const formerBaseUrls = /"__state": "\[\\"([^"\\]*)/.exec(state.text)?.[1] ?? "";
    const config = { "cloudservices:formerBaseUrls": formerBaseUrls };
    const { sandbox, stack } = await openTestStack(program, { config });
    expect(state.resources).toHaveLength(10);
    await stack.import(state);
    expect((await stack.preview()).summary).toEqual({ same: 10 });
    expect(takeRequests(sandbox)).toEqual([]);
  });
});
