import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isAlive } from "../../tools/process/tree.mjs";
import { providerProcesses, until } from "../support/processes.js";
import { openProject } from "../support/project.js";
import { startUp } from "../support/start-up.js";
import { openSandbox, quick, takeRequests } from "../support/test-stack.js";

/*
 * The native plugin through the `pulumi` command, as a project sets it up.
 */

const declaring = (source: string) =>
  `const { Database, Link } = require("pulumi-cloudservices/native");\n${source}\n`;

const database = (name = "") =>
  `new Database("orders", { engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1"${name && `, name: "${name}"`} });`;

/** Pulumi.yaml with a plugin in a folder of this checkout. */
const withPlugin = (name: string, folder: string) =>
  `name: test\nruntime: nodejs\nplugins:\n  providers:\n    - name: ${name}\n      path: ${fileURLToPath(new URL(`../../node_modules/pulumi-cloudservices/${folder}`, import.meta.url))}\n`;

it.each([
  ["a missing set-up", "name: test\nruntime: nodejs\n", ""],
  ["a missing set-up of a project with the plugin's name", "name: cloudservices\nruntime: nodejs\n", ""],
  [
    "a wrong name in the set-up",
    withPlugin("pulumi-cloudservices", "plugin"),
    'the name "pulumi-cloudservices"',
  ],
  [
    "a wrong folder in the set-up",
    withPlugin("cloudservices", "dist"),
    "has no pulumi-resource-cloudservices",
  ],
  [
    "a plugin of another version",
    "name: test\nruntime: nodejs\nplugins:\n  providers:\n    - name: cloudservices\n      path: former/plugin\n",
    "has version 0.0.1, and the program's pulumi-cloudservices has",
  ],
])("%s ends in one message that shows the lines", async (_, file, cause) => {
  const project = await openProject({
    files: {
      "former/package.json": '{ "name": "pulumi-cloudservices", "version": "0.0.1" }',
      "former/plugin/pulumi-resource-cloudservices": "",
      "Pulumi.yaml": file,
      "index.js": declaring('new Link("a", { url: "https://a.test/" });'),
    },
    sandbox: await openSandbox(),
  });
  const { code, stdout, stderr } = await project.pulumi(["preview"]);
  expect(code).not.toBe(0);
  expect(stdout + stderr).toMatch(
    /native plugin.*not set up.*plugins:.*path: node_modules\/pulumi-cloudservices\/plugin/s,
  );
  expect(stdout + stderr).toContain(cause);
  expect(stdout + stderr).not.toMatch(/api\.github\.com|get\.pulumi\.com|\n\s+at /);
});

describe("Ctrl-C while a database is created", () => {
  it("ends at once and keeps the database, and the next run continues", async () => {
    const sandbox = await openSandbox();
    const project = await openProject({
      files: { "index.js": declaring(database()) },
      native: true,
      sandbox,
      config: quick,
    });
    sandbox.progress("database", { mode: "time", ms: 3_600_000 });
    const up = startUp(project);
    await until(
      () => sandbox.journal().some(({ method, path }) => method === "GET" && /db_/.test(path)),
      "a poll",
    );
    up.interrupt();
    expect((await up.end()).code).not.toBe(0);
    const [left] = sandbox.resources();
    expect((await project.export()).resources).toMatchObject([{ id: left?.id }]);
    await sandbox.clock.advance(3_600_000);
    takeRequests(sandbox);
    expect(await project.pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
    expect(takeRequests(sandbox).filter((request) => request.startsWith("POST"))).toEqual([]);
    expect(await project.pulumi(["preview", "--expect-no-changes"])).toMatchObject({ code: 0 });
  });
});

it("the plugin ends with a killed engine", async () => {
  const sandbox = await openSandbox();
  const project = await openProject({
    files: { "index.js": declaring(database()) },
    native: true,
    sandbox,
    config: quick,
  });
  sandbox.progress("database", { mode: "time", ms: 3_600_000 });
  const engine = new AbortController();
  const up = project.pulumi(["up", "--yes", "--skip-preview"], { signal: engine.signal });
  await until(() => sandbox.resources().length === 1, "the creation");
  const plugins = providerProcesses(project.folder);
  expect(plugins).toHaveLength(1);
  engine.abort();
  await up;
  await until(() => !plugins.some(isAlive), "the end of the plugin");
});

it("`pulumi import` takes over a database, and the program that describes it changes nothing", async () => {
  const sandbox = await openSandbox();
  const first = await openProject({
    files: { "index.js": declaring(database("shop")) },
    native: true,
    sandbox,
    config: quick,
  });
  expect(await first.pulumi(["up", "--yes", "--skip-preview"])).toMatchObject({ code: 0 });
  const [existing] = sandbox.resources();
  const project = await openProject({
    files: { "index.js": "" },
    native: true,
    sandbox,
    config: quick,
  });
  takeRequests(sandbox);
  const imported = await project.pulumi([
    "import",
    "cloudservices:index:Database",
    "orders",
    existing?.id ?? "",
    "--yes",
    "--generate-code=false",
    "--protect=false",
  ]);
  expect(imported.code, imported.stdout + imported.stderr).toBe(0);
  expect(takeRequests(sandbox).every((request) => request.startsWith("GET"))).toBe(true);
  project.write({ "index.js": declaring(database("shop")) });
  const preview = await project.pulumi(["preview", "--expect-no-changes"]);
  expect(preview.code, preview.stdout).toBe(0);
  const up = await project.pulumi(["up", "--yes", "--skip-preview"]);
  expect(up.stdout).toContain("does not return its plan, region");
  // From then on, a change of what the service does not return is a change.
  project.write({ "index.js": declaring(database("shop").replace("db-starter-1", "db-standard-2")) });
  const changed = await project.pulumi(["up", "--yes", "--skip-preview"]);
  expect(changed.stdout).toMatch(/1 updated/);
  expect(sandbox.resources()).toMatchObject([{ fields: { plan: "db-standard-2" } }]);
});
