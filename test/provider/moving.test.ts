import { expect, it } from "vitest";
import { openProject, type ProjectOptions } from "../support/project.js";
import { openSandbox, quick, takeRequests } from "../support/test-stack.js";

/** The flows of docs/guides/ that change which stack or provider has a resource. */
async function open(program: string, options: Partial<ProjectOptions> = {}) {
  const sandbox = await openSandbox();
  const project = await openProject({ files: { "index.ts": program }, sandbox, config: quick, ...options });
  const pulumi = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await project.pulumi(args);
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  };
  return { sandbox, project, pulumi };
}

it("moves a resource to another stack with `pulumi state move`, without a request", async () => {
  const { sandbox, project, pulumi } = await open(`
    import * as pulumi from "@pulumi/pulumi";
    import { Database, Link } from "pulumi-cloudservices";
    const stack = pulumi.getStack();
    if (stack === "dev") new Link("home", { url: "https://example.com/" });
    if (stack === "data" || !new pulumi.Config().getBoolean("split"))
      new Database("orders", { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" });
  `);
  await pulumi("up", "--yes", "--skip-preview");
  const urn = (await project.export()).resources.find(({ type }) => type.endsWith("Database"))?.urn ?? "";
  const [database] = sandbox.resources().filter(({ kind }) => kind === "Database");
  takeRequests(sandbox);

  await pulumi("stack", "init", "data", "--copy-config-from", "dev");
  await pulumi("state", "move", "--source", "dev", "--dest", "data", "--yes", urn);
  await pulumi("config", "set", "split", "true", "--stack", "dev");
  // The derived name contains a hash of the stack, and stays.
  for (const stack of ["dev", "data"])
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes", "--stack", stack);
  expect(takeRequests(sandbox)).toEqual([]);

  await pulumi("destroy", "--yes", "--skip-preview", "--stack", "data");
  expect(takeRequests(sandbox)).toContain(`DELETE /databases/${database?.id}`);
  expect(sandbox.resources().map(({ kind }) => kind)).toEqual(["Link"]);
});

const handWritten = `
  import * as pulumi from "@pulumi/pulumi";
  const provider: pulumi.dynamic.ResourceProvider = {
    async create({ url, service, key }) {
      const response = await fetch(service + "/shortener/links", {
        method: "POST",
        headers: { authorization: "Bearer " + key, "content-type": "application/json" },
        body: JSON.stringify({ url }),
      });
      const { data } = await response.json();
      return { id: data.id, outs: { url, shortUrl: data.short_url } };
    },
  };
  const config = new pulumi.Config("cloudservices");
  class Link extends pulumi.dynamic.Resource {
    constructor(name: string, url: string) {
      super(provider, name, { url, service: config.require("baseUrl"), key: config.require("apiKey") });
    }
  }
  new Link("home", "https://example.com/");
`;

it("takes over what a hand-written dynamic provider created, without creating it again", async () => {
  const { sandbox, project, pulumi } = await open(handWritten);
  await pulumi("up", "--yes", "--skip-preview");
  const [old] = (await project.export()).resources;
  takeRequests(sandbox);

  await pulumi("state", "delete", "--yes", old?.urn ?? "");
  project.write({
    "index.ts": `
      import { Link } from "pulumi-cloudservices";
      new Link("home", { url: "https://example.com/", adopt: "${old?.id}" });`,
  });
  await pulumi("up", "--yes", "--skip-preview");
  expect(takeRequests(sandbox)).toEqual([`GET /shortener/links/${old?.id}`]);
  expect(sandbox.resources().map(({ id }) => id)).toEqual([old?.id]);
  await pulumi("preview", "--expect-no-changes");
});
