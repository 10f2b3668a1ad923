import { describe, expect, it } from "vitest";
import { openSandbox, takeRequests } from "../support/cloud.js";
import type { Config } from "../support/config.js";
import { openProject, type TestProject } from "../support/project.js";

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

describe("wrong inputs are told by the preview", () => {
  it.each([
    [
      "a plan that does not exist",
      'new Database("d", { engine: "postgresql", version: "16", plan: "db-starter1", region: "r" });',
      /plan.*db-starter1.*is not in the specification's list: .*Did you mean .*db-starter-1/,
    ],
    [
      "a version that does not exist",
      'new Database("d", { engine: "postgresql", version: "14", plan: "db-starter-1", region: "r" });',
      /version.*14.*15, 16/,
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
      /no input .*titel.*did you mean .*title/,
    ],
  ])("%s", async (_what, source, expected) => {
    expect(await refusal(await projectWith(source, elsewhere), "preview")).toMatch(expected);
  });

  it("all of a resource at once", async () => {
    const source = 'new VpsInstance("v", { plan: "vps-tiny", image: "debian-13" });';
    const said = await refusal(await projectWith(source, elsewhere), "preview");
    const image = /image.*debian-13.*is not in.*Did you mean .*debian-12/;
    for (const expected of [/plan.*vps-tiny/, image, /region.*is required/]) expect(said).toMatch(expected);
  });
});

describe("a wrong configuration is told by the preview", () => {
  const apiKey = { secret: "sandbox_local" };
  it.each<[string, Config, RegExp]>([
    [
      "no API key",
      { "cloudservices:baseUrl": "https://api.example.com/v1" },
      /no API key.*pulumi config set --secret cloudservices:apiKey/,
    ],
    ["no base URL", { "cloudservices:apiKey": apiKey }, /no base URL.*cloudservices:baseUrl/],
    [
      "plain http to another machine",
      { "cloudservices:apiKey": apiKey, "cloudservices:baseUrl": "http://api.example.com/v1" },
      /baseUrl is plain http to api\.example\.com/,
    ],
  ])("%s", async (_what, config, expected) => {
    expect(await refusal(await projectWith(valid, config), "preview")).toMatch(expected);
  });

  it("once, however many resources there are", async () => {
    const source = `${valid}\nnew Inbox("one", {});\nnew Inbox("two", {});`;
    const said = await refusal(await projectWith(source), "preview");
    const diagnostics = said.slice(said.indexOf("Diagnostics:"));
    expect(diagnostics.match(/error: .*There is no API key/g)).toHaveLength(1);
  });
});

describe("what only the service knows is told by the up", () => {
  it("a wrong API key", async () => {
    const sandbox = await openSandbox();
    const project = await projectWith(valid, {
      "cloudservices:baseUrl": sandbox.baseUrl,
      "cloudservices:apiKey": { secret: "not-a-key-of-this" },
    });
    const said = await refusal(project, "up");
    expect(said).toMatch(/Link "docs" could not be created: .*401/);
    expect(said).not.toContain("not-a-key-of-this");
    expect(takeRequests(sandbox)).toHaveLength(1);
  });

  it("an unreachable service", async () => {
    const config = { "cloudservices:maxRetries": "0", "cloudservices:apiKey": { secret: "sandbox_local" } };
    const project = await projectWith(valid, { ...config, "cloudservices:baseUrl": "http://127.0.0.1:1/v1" });
    expect(await refusal(project, "up")).toMatch(/Link "docs" could not be created: .*127\.0\.0\.1:1/);
  });

  it("a region that it refuses, by field", async () => {
    const sandbox = await openSandbox();
    const source = 'new VpsInstance("v", { plan: "vps-micro-1", region: "atlantis", image: "debian-12" });';
    const project = await projectWith(source, {
      "cloudservices:baseUrl": sandbox.baseUrl,
      "cloudservices:apiKey": { secret: sandbox.apiKey },
    });
    expect(await refusal(project, "up")).toMatch(/VpsInstance "v" could not be created: .*region/);
  });
});
