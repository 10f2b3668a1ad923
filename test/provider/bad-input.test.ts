import { ComponentResource, type CustomResourceOptions } from "@pulumi/pulumi";
import { Inbox } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import type { Config } from "../support/config.js";
import { openProject, type TestProject } from "../support/project.js";
import { failureOf } from "../support/stack.js";
import { openSandbox, openTestStack, takeRequests } from "../support/test-stack.js";

const valid = 'new Link("docs", { url: "https://example.com/docs" });';

async function projectWith(source: string, config: Config = {}): Promise<TestProject> {
  const program = `const { Database, Inbox, Link, VpsInstance, Webhook } = require("pulumi-cloudservices");\n${source}\n`;
  return openProject({ files: { "index.js": program }, config });
}

const elsewhere: Config = {
  "cloudservices:baseUrl": "https://127.0.0.1:1/v1",
  "cloudservices:apiKey": { secret: "sandbox_local" },
};

/** What every refusal has in common: it fails, keeps the state, and shows no stack of ours. */
async function refusal(project: TestProject, command: "preview" | "up"): Promise<string> {
  const before = (await project.export()).resources;
  const ended = await project.pulumi(command === "up" ? ["up", "--yes", "--skip-preview"] : ["preview"]);
  const said = ended.stdout + ended.stderr;
  expect(ended.code, said).not.toBe(0);
  expect(said).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
  expect(said).not.toContain("node_modules");
  expect((await project.export()).resources).toEqual(before);
  return said;
}

describe("the preview reports invalid inputs", () => {
  it.each([
    [
      "a plan that does not exist",
      'new Database("d", { engine: "postgresql", version: "16", plan: "db-starter1", region: "r" });',
      /plan.*db-starter1.*is not in the specification's list.*INPUT_UNLISTED.*if it is misspelt.*db-starter-1/s,
    ],
    [
      "a misspelt version",
      'new Database("d", { engine: "postgresql", version: "v16", plan: "db-starter-1", region: "r" });',
      /version.*v16.*15, 16/s,
    ],
    [
      "ttlMinutes: 0",
      'new Inbox("i", { ttlMinutes: 0 });',
      /ttlMinutes.*0.*must be a whole number from 1 to 1440/,
    ],
    [
      "an http webhook",
      'new Webhook("w", { url: "http://example.com", events: ["database.backup.failed"], secret: "s" });',
      /url.*http:\/\/example\.com.*must be an absolute https URL/,
    ],
    [
      "a misspelt field",
      'new Link("l", { url: "https://example.com", titel: "x" });',
      /no input .*titel.*INPUT_UNKNOWN.*if it is misspelt: title/s,
    ],
  ])("%s", async (_what, source, expected) => {
    expect(await refusal(await projectWith(source, elsewhere), "preview")).toMatch(expected);
  });

  it.each([
    [
      "reading without an id",
      'Inbox.get("shared", new (require("@pulumi/pulumi").Config)().get("inbox"));',
      /Inbox\.get\("shared"\) failed: the id is empty/,
    ],
    [
      "reading with an empty id, of a kind that has required inputs",
      'Database.get("shared", "");',
      /Database\.get\("shared"\) failed: the id is empty(?!.*is required)/s,
    ],
    [
      "reading with an output that turns out to be empty",
      'Inbox.get("shared", require("@pulumi/pulumi").output(undefined));',
      // The engine's own words.
      /Expected an ID for urn:.*:Inbox::shared/,
    ],
    [
      "the option `import` beside another id to adopt",
      'new Link("docs", { url: "https://example.com/docs", adopt: "link_2" }, { import: "link_1" });',
      /`import` and the input `adopt` name different resources/,
    ],
    [
      "customTimeouts in words",
      'new Inbox("i", {}, { customTimeouts: { create: "5 minutes" } });',
      /create must be a duration such as "90s", "20m" or "1h30m"/,
    ],
    [
      "customTimeouts in days",
      'new Inbox("i", {}, { customTimeouts: { delete: "1d" } });',
      /delete must be a duration such as "90s", "20m" or "1h30m"/,
    ],
  ])("%s", async (_what, source, expected) => {
    expect(await refusal(await projectWith(source, elsewhere), "preview")).toMatch(expected);
  });

  it("reports all invalid inputs of a resource at once", async () => {
    const source = 'new VpsInstance("v", { plan: "vps-micro1", image: "debain-12" });';
    const said = await refusal(await projectWith(source, elsewhere), "preview");
    const image = /image.*debain-12.*is not in.*if it is misspelt: .*debian-12/s;
    for (const expected of [/plan.*vps-micro1/, image, /region.*is required/]) expect(said).toMatch(expected);
  });
});

describe("the preview rejects a replacement that would fail half-way", () => {
  it("whose predecessor no documented request deletes, unless it is retained", async () => {
    const sandbox = await openSandbox({ profile: "documented" });
    const inbox =
      (ttlMinutes: number, options = {}) =>
      async () =>
        void new Inbox("signup", { ttlMinutes }, options);
    const { stack } = await openTestStack(inbox(60), {
      sandbox,
      config: { "cloudservices:api": "documented" },
    });
    await stack.up();
    const said = await failureOf(stack.preview({ program: inbox(90) }));
    expect(said).toMatch(/a change of ttlMinutes creates a new Inbox.*undeletable.*retainOnDelete: true/s);
    const retained = { retainOnDelete: true };
    expect(await failureOf(stack.preview({ program: inbox(90, retained) }))).toContain("creates a new Inbox");
    expect((await stack.up({ program: inbox(60, retained) })).summary).toEqual({ update: 1 });
    expect((await stack.refresh()).summary).toEqual({ same: 1 });
    expect((await stack.up()).summary).toEqual({ same: 1 });
    expect((await stack.up({ program: inbox(90, retained) })).summary).toEqual({
      replace: 1,
    });
    expect((await stack.export()).resources).toHaveLength(1);
    expect(sandbox.resources()).toHaveLength(2);
  });

  it("whose predecessor is retained by an option of its parent, which the engine does not pass on", async () => {
    class Site extends ComponentResource {
      constructor(ttlMinutes: number, own: CustomResourceOptions = {}) {
        super("test:index:Site", "site", {}, { retainOnDelete: true });
        new Inbox("signup", { ttlMinutes }, { parent: this, ...own });
        this.registerOutputs({});
      }
    }
    const { stack } = await openTestStack(async () => void new Site(60), {
      service: { profile: "documented" },
      config: { "cloudservices:api": "documented" },
    });
    await stack.up();
    expect(await failureOf(stack.preview({ program: async () => void new Site(90) }))).toMatch(
      /REPLACE_UNSUPPORTED.*`retainOnDelete: true` added to the resource itself/s,
    );
    const own = { retainOnDelete: true };
    await stack.up({ program: async () => void new Site(60, own) });
    expect((await stack.up({ program: async () => void new Site(90, own) })).summary).toMatchObject({
      replace: 1,
    });
  });

  it("of an adopted resource through `replaceOnChanges`", async () => {
    const sandbox = await openSandbox();
    const declared = async () => void new Inbox("signup");
    const { stack } = await openTestStack(declared, { sandbox });
    await stack.up();
    const id = sandbox.resources()[0]?.id ?? "";
    const replacing = { replaceOnChanges: ["renewExpired"], deleteBeforeReplace: true };
    const program = async () => void new Inbox("signup", { adopt: id, renewExpired: true }, replacing);
    expect(await failureOf(stack.preview({ program }))).toMatch(
      /cannot adopt the old one.*REPLACE_ADOPTED.*remove `adopt`/s,
    );
    expect(await failureOf(stack.up({ program }))).toMatch(/cannot adopt the old one/);
    expect(sandbox.resources().map((resource) => resource.id)).toEqual([id]);
    expect((await stack.up({ program: declared })).summary).toEqual({ same: 1 });
  });
});

describe("the preview reports an invalid configuration", () => {
  const apiKey = { secret: "sandbox_local" };
  it.each<[string, Config, RegExp]>([
    [
      "no API key",
      { "cloudservices:baseUrl": "https://api.example.com/v1" },
      /no API key.*\[CONFIG_INVALID\].*pulumi config set --secret cloudservices:apiKey/s,
    ],
    [
      "no base URL",
      { "cloudservices:apiKey": apiKey },
      /no base URL.*\[CONFIG_INVALID\].*cloudservices:baseUrl/s,
    ],
    [
      "plain http to another machine",
      { "cloudservices:apiKey": apiKey, "cloudservices:baseUrl": "http://api.example.com/v1" },
      /baseUrl would send the API key unencrypted to api\.example\.com/,
    ],
  ])("%s", async (_what, config, expected) => {
    expect(await refusal(await projectWith(valid, config), "preview")).toMatch(expected);
  });

  it("a misspelt setting, once and with the nearest match", async () => {
    const config = { ...elsewhere, "cloudservices:undeleteable": "abandon", "test:apiMode": "mine" };
    const source = `${valid}\nnew Inbox("one", {});\nnew Inbox("two", {});`;
    const said = await refusal(await projectWith(source, config), "preview");
    expect(said).toMatch(
      /if it is misspelt: cloudservices:undeletable\b.*pulumi config rm cloudservices:undeleteable/s,
    );
    const diagnostics = said.slice(said.indexOf("Diagnostics:"));
    expect(diagnostics.match(/which does not exist/g)).toHaveLength(1);
    expect(said).not.toContain("apiMode");
  });

  it("once, regardless of the number of resources", async () => {
    const source = `${valid}\nnew Inbox("one", {});\nnew Inbox("two", {});`;
    const said = await refusal(await projectWith(source), "preview");
    const diagnostics = said.slice(said.indexOf("Diagnostics:"));
    expect(diagnostics.match(/error: .*there is no API key/g)).toHaveLength(1);
  });
});

describe("an up reports what only the service can reject", () => {
  it("a wrong API key", async () => {
    const sandbox = await openSandbox();
    const project = await projectWith(valid, {
      "cloudservices:baseUrl": sandbox.baseUrl,
      "cloudservices:apiKey": { secret: "not-a-key-of-this" },
    });
    const said = await refusal(project, "up");
    expect(said).toMatch(/Link "docs" not created: .*401/);
    expect(said).not.toContain("not-a-key-of-this");
    expect(takeRequests(sandbox)).toHaveLength(1);
  });

  it("an unreachable service", async () => {
    const config = { "cloudservices:maxRetries": "0", "cloudservices:apiKey": { secret: "sandbox_local" } };
    const project = await projectWith(valid, { ...config, "cloudservices:baseUrl": "http://127.0.0.1:1/v1" });
    expect(await refusal(project, "up")).toMatch(/Link "docs" not created: .*127\.0\.0\.1:1/);
  });

  it("an unknown region, by field", async () => {
    const sandbox = await openSandbox();
    const source = 'new VpsInstance("v", { plan: "vps-micro-1", region: "atlantis", image: "debian-12" });';
    const project = await projectWith(source, {
      "cloudservices:baseUrl": sandbox.baseUrl,
      "cloudservices:apiKey": { secret: sandbox.apiKey },
    });
    expect(await refusal(project, "up")).toMatch(/VpsInstance "v" not created: .*region/);
  });
});
