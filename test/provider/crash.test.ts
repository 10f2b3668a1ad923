import { describe, expect, it } from "vitest";
import { modes } from "../support/modes.js";
import { killProviders, providerProcesses, until } from "../support/processes.js";
import { openProject } from "../support/project.js";
import { openSandbox, quick } from "../support/test-stack.js";

const programs = {
  Database: {
    route: "/databases",
    source:
      'new Database("orders", { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" });',
  },
  VpsInstance: {
    route: "/vps/instances",
    source: 'new VpsInstance("web", { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" });',
  },
  Link: { route: "/shortener/links", source: 'new Link("docs", { url: "https://example.com/docs" });' },
  Inbox: { route: "/tempmail/inboxes", source: 'new Inbox("signup", {});' },
  Webhook: {
    route: "/webhooks",
    source:
      'new Webhook("events", { url: "https://example.com/", events: ["vps.snapshot.completed"], secret: "a-secret" });',
  },
};

type Kind = keyof typeof programs;

async function interrupted(
  kind: Kind,
  kill: (folder: string, engine: AbortController) => void,
  { service, mode }: (typeof modes)[number] = modes[0],
) {
  const sandbox = await openSandbox(service);
  const { route, source } = programs[kind];
  const project = await openProject({
    files: { "index.js": `const { ${kind} } = require("pulumi-cloudservices");\n${source}\n` },
    sandbox,
    config: { ...quick, ...mode },
  });
  // The service creates the resource, and the client is gone before the response arrives.
  sandbox.faults.add({ kind: "slow", route, method: "POST", when: "after", ms: 60_000, count: 1 });
  const engine = new AbortController();
  const up = project.pulumi(["up", "--yes", "--skip-preview"], { signal: engine.signal });
  await until(() => sandbox.resources().length === 1, "the creation");
  kill(project.folder, engine);
  await up;
  killProviders(project.folder);
  await project.pulumi(["cancel", "--yes"]);
  return { sandbox, project };
}

const kills = {
  "the provider's process is killed": killProviders,
  "the engine is killed": (_folder: string, engine: AbortController) => engine.abort(),
  "both are killed": (folder: string, engine: AbortController) => {
    killProviders(folder);
    engine.abort();
  },
};

describe.each(Object.entries(kills))("when %s before the response to a creation", (_what, kill) => {
  it.each(["Database", "Link"] as const)(
    "the next run creates no duplicate, reports what it found, and can take it over: %s",
    async (kind) => {
      const { sandbox, project } = await interrupted(kind, kill);
      const [left] = sandbox.resources();

      const next = await project.pulumi(["up", "--yes", "--skip-preview"]);
      expect(sandbox.resources()).toHaveLength(1);
      expect(next.code).not.toBe(0);
      expect(next.stdout).toContain(`adopt: "${left?.id}"`);
      expect(next.stdout).toContain("cloudservices:adoptInterrupted");

      project.configure({ "cloudservices:adoptInterrupted": "true" });
      const adopted = await project.pulumi(["up", "--yes", "--skip-preview"]);
      expect(adopted).toMatchObject({ code: 0 });
      expect(adopted.stdout).toContain("was adopted as");
      expect(sandbox.resources().map(({ id }) => id)).toEqual([left?.id]);
      expect(await project.pulumi(["preview", "--expect-no-changes"])).toMatchObject({ code: 0 });
      expect(await project.pulumi(["destroy", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
      expect(sandbox.resources()).toEqual([]);
    },
  );
});

it("the provider does not outlive a killed engine, and sends no queued request", async () => {
  const sandbox = await openSandbox();
  const { route, source } = programs.VpsInstance;
  const project = await openProject({
    files: { "index.js": `const { VpsInstance } = require("pulumi-cloudservices");\n${source}\n` },
    sandbox,
    config: quick,
  });
  sandbox.faults.add({ kind: "rateLimit", retryAfter: 30, route, method: "POST", count: 1 });
  const engine = new AbortController();
  const up = project.pulumi(["up", "--yes", "--skip-preview"], { signal: engine.signal });
  await until(() => sandbox.journal().some(({ method }) => method === "POST"), "the refused creation");
  expect(providerProcesses(project.folder)).not.toEqual([]);
  engine.abort();
  await up;
  await until(() => providerProcesses(project.folder).length === 0, "the provider's end");
  expect(sandbox.resources()).toEqual([]);
});

describe.each(["VpsInstance", "Inbox", "Webhook"] as const)("an interrupted creation of a %s", (kind) => {
  it("is not duplicated by a later run", async () => {
    const { sandbox, project } = await interrupted(kind, killProviders);
    const [left] = sandbox.resources();
    const next = await project.pulumi(["up", "--yes"]);
    expect(next.stdout).toContain(`adopt: "${left?.id}"`);
    expect(sandbox.resources()).toHaveLength(1);
  });
});

describe("an interrupted creation of a Link in the mode `documented`", () => {
  it("is found in the list and taken over", async () => {
    const { sandbox, project } = await interrupted("Link", killProviders, modes[1]);
    const [left] = sandbox.resources();
    const next = await project.pulumi(["up", "--yes", "--skip-preview"]);
    expect(next.stdout).toContain(`adopt: "${left?.id}"`);
    project.configure({ "cloudservices:adoptInterrupted": "true" });
    expect(await project.pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
    expect(sandbox.resources().map(({ id }) => id)).toEqual([left?.id]);
    expect(await project.pulumi(["preview", "--expect-no-changes"])).toMatchObject({ code: 0 });
  });
});
