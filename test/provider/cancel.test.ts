import { describe, expect, it } from "vitest";
import { until } from "../support/processes.js";
import { openProject } from "../support/project.js";
import { startUp } from "../support/start-up.js";
import { openSandbox, quick, takeRequests } from "../support/test-stack.js";

const declaring = (source: string) =>
  `const { Database, Link, VpsInstance } = require("pulumi-cloudservices");\n${source}\n`;

const database =
  'new Database("orders", { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" });';

describe("pain: Ctrl-C waits until a database is ready", () => {
  it("stops waiting within seconds and keeps the database, and the next run continues", async () => {
    const sandbox = await openSandbox();
    const project = await openProject({ files: { "index.js": declaring(database) }, sandbox, config: quick });
    sandbox.progress("database", { mode: "time", ms: 3_600_000 });

    const up = startUp(project);
    await until(
      () => sandbox.journal().some(({ method, path }) => method === "GET" && /db_/.test(path)),
      "a poll",
    );
    const interruptedAt = Date.now();
    up.interrupt();
    const { code, output } = await up.end();
    expect(Date.now() - interruptedAt).toBeLessThan(15_000);
    expect(code).not.toBe(0);
    expect(output).toContain("the run was cancelled");

    const [left] = sandbox.resources();
    expect((await project.export()).resources).toMatchObject([{ id: left?.id }]);
    takeRequests(sandbox);
    await sandbox.clock.advance(3_600_000);
    const next = await project.pulumi(["up", "--yes", "--skip-preview"]);
    expect(next.code, next.stdout).toBe(0);
    expect(sandbox.resources().map(({ id }) => id)).toEqual([left?.id]);
    expect(takeRequests(sandbox).filter((request) => request.startsWith("POST"))).toEqual([]);
    expect(await project.pulumi(["preview", "--expect-no-changes"])).toMatchObject({ code: 0 });
  });

  it("sends no queued request, and lets requests in flight finish", async () => {
    const sandbox = await openSandbox();
    const source = 'for (let i = 0; i < 6; i++) new Link("l" + i, { url: "https://example.com/" });';
    const project = await openProject({
      files: { "index.js": declaring(source) },
      sandbox,
      config: { ...quick, "cloudservices:maxConcurrency": "1" },
    });
    sandbox.faults.add({
      kind: "slow",
      route: "/shortener/links",
      method: "POST",
      when: "before",
      ms: 2_000,
    });
    const up = startUp(project);
    const sent = () => sandbox.journal().filter(({ method }) => method === "POST").length;
    await until(() => sandbox.resources().length === 1, "the first link");
    up.interrupt();
    const { code } = await up.end();
    expect(code).not.toBe(0);
    // What was in flight is in the state, and nothing else was made.
    expect(sandbox.resources().length).toBeLessThan(4);
    const known = (await project.export()).resources.map(({ id }) => id);
    expect(known.sort()).toEqual(
      sandbox
        .resources()
        .map(({ id }) => id)
        .sort(),
    );
    expect(sent()).toBe(sandbox.resources().length);

    sandbox.faults.clear();
    expect(await project.pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
    expect(sandbox.resources()).toHaveLength(6);
  });
});
