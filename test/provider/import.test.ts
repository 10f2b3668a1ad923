import { readFileSync } from "node:fs";
import { CloudServices } from "cloudservices-sdk";
import * as dynamic from "pulumi-cloudservices";
import { BackupSchedule, Database, Link } from "pulumi-cloudservices/native";
import { describe, expect, it } from "vitest";
import { openNativeStack } from "../support/native.js";
import { openProject, type TestProject } from "../support/project.js";
import { failureOf } from "../support/stack.js";
import { openDatabase, openSandbox, quick, takeRequests } from "../support/test-stack.js";

/*
 * Imports through the native plugin, by the command and by the option.
 */

/** Returns a program of the native classes, as a file. */
const declaring = (...statements: string[]) =>
  [
    'const { BackupSchedule, Database, Inbox, Link, Provider, VpsInstance, Webhook } = require("pulumi-cloudservices/native");',
    ...statements,
    "",
  ].join("\n");

const opened = (sandbox: Awaited<ReturnType<typeof openSandbox>>, ...statements: string[]) =>
  openProject({ files: { "index.js": declaring(...statements) }, sandbox, config: quick, native: true });

/** Runs a command that must succeed, and returns what it prints. */
async function succeed(project: TestProject, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await project.pulumi(args);
  expect(code, stdout + stderr).toBe(0);
  return stdout + stderr;
}

const importing = ["import", "--yes", "--generate-code=false", "--protect=false"];

const link = { url: "https://example.com/", slug: "docs" };
const docs = (name: string) => `new Link("${name}", ${JSON.stringify(link)});`;

/** Starts a sandbox with the link. */
async function existingLink() {
  const sandbox = await openSandbox();
  const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
  const { id } = await client.links.create(link);
  return { sandbox, id };
}

/** Programs with all kinds that can be imported. Half of the resources use the options. */
const kinds = (options: string) => [
  `new VpsInstance("web", { name: "web", plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" });`,
  `new Link("home", { url: "https://example.com/", slug: "home", title: "Home" }${options});`,
  `const orders = new Database("orders", { name: "orders", engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1" }${options});`,
  `new BackupSchedule("nightly", { databaseId: orders.id, frequency: "daily", hourUtc: 3, retentionDays: 7 }${options});`,
  `new Webhook("backups", { url: "https://example.com/hook", events: ["database.backup.completed"], secret: "a-signing-secret" });`,
  `new Inbox("signup", { ttlMinutes: 120, prefix: "signup" });`,
];

describe("`pulumi import --file`", () => {
  it("takes over all kinds from the file that a preview writes, of an explicit provider too", async () => {
    const sandbox = await openSandbox();
    const first = await opened(sandbox, ...kinds(""));
    await succeed(first, "up", "--yes", "--skip-preview");
    const ids = new Map((await first.export()).resources.map(({ type, id }) => [type, id]));
    const before = sandbox.resources();

    const eu = `const eu = new Provider("eu", { baseUrl: "${sandbox.baseUrl}", apiKey: "${sandbox.apiKey}" });`;
    const project = await opened(sandbox, eu);
    await succeed(project, "up", "--yes", "--skip-preview");
    project.write({ "index.js": declaring(eu, ...kinds(", { provider: eu }")) });
    await succeed(project, "preview", "--import-file", "import.json");
    const written: { resources: { type: string; id: string; provider?: string }[] } = JSON.parse(
      readFileSync(`${project.folder}/import.json`, "utf8"),
    );
    expect(written.resources.filter(({ provider }) => provider === "eu")).toHaveLength(3);
    const resources = written.resources.map((resource) => ({ ...resource, id: ids.get(resource.type) }));
    project.write({ "import.json": JSON.stringify({ ...written, resources }) });

    takeRequests(sandbox);
    expect(await succeed(project, ...importing, "--file", "import.json")).toMatch(/6 imported/);
    await succeed(project, "preview", "--expect-no-changes");
    expect(await succeed(project, "up", "--yes", "--skip-preview")).toMatch(/8 unchanged/);
    expect(takeRequests(sandbox).filter((request) => !request.startsWith("GET"))).toEqual([]);
    expect(sandbox.resources()).toEqual(before);
    await succeed(project, "destroy", "--yes", "--skip-preview");
    expect(sandbox.resources()).toEqual([]);
  });

  it("is rejected if it has an id twice", async () => {
    const { sandbox, id } = await existingLink();
    const project = await opened(sandbox);
    const resources = ["a", "b"].map((name) => ({ type: "cloudservices:index:Link", name, id }));
    project.write({ "import.json": JSON.stringify({ resources }) });
    const { code, stdout } = await project.pulumi([...importing, "--file", "import.json"]);
    expect(code).not.toBe(0);
    expect(stdout).toMatch(/cannot be imported: Link "\w" is the same resource \[ALREADY_MANAGED\]/);
    expect(stdout).toMatch(/urn:\S+:Link::b and urn:\S+:Link::a|urn:\S+:Link::a and urn:\S+:Link::b/);
  });
});

describe("a resource that is imported twice", () => {
  it("is rejected within a run, and read by `get` as often as a program likes", async () => {
    const { sandbox, id } = await existingLink();
    const twice = async () => {
      new Link("a", link, { import: id });
      new Link("b", link, { import: id });
    };
    const { stack } = await openNativeStack(twice, { sandbox });
    expect(await failureOf(stack.preview())).toMatch(/is the same resource \[ALREADY_MANAGED\]/);
    const reading = async () => {
      new Link("a", link, { import: id });
      for (const name of ["b", "c"]) Link.get(name, id);
    };
    await stack.up({ program: reading });
    expect((await stack.export()).resources).toHaveLength(3);
    const again = async () => {
      const a = new Link("a", link);
      new Link("d", link, { import: id, dependsOn: a });
    };
    expect(await failureOf(stack.up({ program: again }))).toMatch(
      /Link "d" .* cannot be imported: Link "a" is the same resource/,
    );
    const renamed = async () => void new Link("e", link, { import: id });
    expect((await stack.up({ program: renamed })).summary).toMatchObject({ import: 1, delete: 1 });
    expect(sandbox.resources()).toHaveLength(1);
  });

  it("by two commands is rejected by the next preview, and removing one deletes nothing", async () => {
    const { sandbox, id } = await existingLink();
    const project = await opened(sandbox, docs("a"), docs("b"));
    for (const name of ["a", "b"]) await succeed(project, ...importing, "cloudservices:index:Link", name, id);
    for (const command of ["preview", "refresh"]) {
      const { code, stdout } = await project.pulumi([command, ...(command === "refresh" ? ["--yes"] : [])]);
      expect(code).not.toBe(0);
      expect(stdout).toMatch(
        /is in this stack twice: Link "\w" \(link_\w+\) is the same resource \[MANAGED_TWICE\]/,
      );
      expect(stdout).toMatch(/pulumi state delete 'urn:\S+:Link::\w', or 'urn:\S+:Link::\w'/);
    }
    project.write({ "index.js": declaring(docs("a")) });
    expect(await succeed(project, "up", "--yes", "--skip-preview")).toMatch(
      /not deleted: another resource of the program has it/,
    );
    expect(sandbox.resources().map((resource) => resource.id)).toEqual([id]);
    await succeed(project, "preview", "--expect-no-changes");
  });
});

describe("after the import of a database", () => {
  const orders = {
    name: "orders",
    engine: "postgresql",
    version: "16",
    plan: "db-standard-2",
    region: "eu-central-1",
  } as const;

  it("a program may ignore changes of inputs that the service does not return, and stop ignoring them", async () => {
    const { sandbox, id } = await openDatabase(orders);
    const ignoreChanges = ["plan", "region"];
    const declared = (name: string, options: object) => async () =>
      void new Database("orders", { ...orders, name }, options);
    const { stack } = await openNativeStack(declared("orders", { import: id, ignoreChanges }), { sandbox });
    takeRequests(sandbox);
    expect((await stack.up()).summary).toEqual({ import: 1 });
    const ignoring = declared("orders", { ignoreChanges });
    for (const summary of [{ same: 1 }, { same: 1 }])
      expect((await stack.up({ program: ignoring })).summary).toEqual(summary);
    await stack.refresh();
    expect((await stack.preview()).summary).toEqual({ same: 1 });
    expect(takeRequests(sandbox).filter((request) => !request.startsWith("GET"))).toEqual([]);
    const renamed = declared("renamed", { ignoreChanges });
    expect((await stack.up({ program: renamed })).summary).toEqual({ update: 1 });
    expect(sandbox.resources()).toMatchObject([{ id, fields: { plan: "db-standard-2", name: "renamed" } }]);
    takeRequests(sandbox);
    const comparing = declared("renamed", {});
    const { summary, stdout } = await stack.up({ program: comparing });
    expect(summary).toEqual({ same: 1 });
    expect(stdout).toMatch(/does not return its plan, region, so these values are unverified/);
    expect(takeRequests(sandbox)).toEqual([]);
  });

  it("outputs that follow from what the service does not return appear with a refresh after the next run", async () => {
    const { sandbox, id } = await openDatabase(orders);
    const program = (options: object) => async () => {
      const { vcpus } = new Database("orders", orders, options);
      return { vcpus };
    };
    const { stack } = await openNativeStack(program({ import: id }), { sandbox });
    await stack.up();
    expect((await stack.up({ program: program({}) })).outputs["vcpus"]?.value).toBeUndefined();
    const { outputs, summary } = await stack.up({ refresh: true });
    expect(outputs["vcpus"]?.value).toBe(2);
    expect(summary).toEqual({ same: 1 });
  });
});

describe("a schedule", () => {
  const daily = { frequency: "daily", hourUtc: 3, retentionDays: 7 } as const;
  const orders = () =>
    new Database("orders", {
      engine: "postgresql",
      version: "16",
      plan: "db-starter-1",
      region: "eu-central-1",
    });

  it("that differs is rejected, and each advice of the message can be typed", async () => {
    const { sandbox, stack } = await openNativeStack(
      async () => void orders().backupSchedule("nightly", daily),
    );
    await stack.up();
    const id = sandbox.resources().find(({ kind }) => kind === "Database")?.id ?? "";
    const importing = (hourUtc: number, options: object) => async () =>
      void new BackupSchedule("nightly", { ...daily, hourUtc, databaseId: id }, options);
    const other = await openNativeStack(importing(5, { import: id }), { sandbox });
    const message = await failureOf(other.stack.up());
    expect(message).toMatch(/hourUtc differs.*`hourUtc: 3` in the program.*without the option `import`/s);
    expect((await other.stack.up({ program: importing(3, { import: id }) })).summary).toEqual({ same: 1 });
    expect((await other.stack.up({ program: importing(5, {}) })).summary).toEqual({ update: 1 });

    const inDynamicForm = (options: object) => async () =>
      void new dynamic.BackupSchedule("nightly", { ...daily, databaseId: id }, options);
    const third = await openNativeStack(inDynamicForm({ import: id }), { sandbox });
    expect(await failureOf(third.stack.preview())).toContain(
      "a BackupSchedule need not be imported: declaring it takes over the existing one",
    );
    expect((await third.stack.up({ program: inDynamicForm({}) })).summary).toEqual({ create: 1 });
    expect(sandbox.resources().filter(({ kind }) => kind === "BackupSchedule")).toHaveLength(1);
  });

  it.each([
    ["an output", (database: Database) => database.id],
    ["an id", () => "db_1"],
  ])("is rejected where a program declares two of one database in two forms, by %s", async (_what, idOf) => {
    const both = async () => {
      const databaseId = idOf(orders());
      new BackupSchedule("a", { ...daily, databaseId });
      new dynamic.BackupSchedule("b", { ...daily, databaseId });
    };
    const { sandbox, stack } = await openNativeStack(both);
    const message = await failureOf(stack.preview());
    expect(message).toMatch(/BackupSchedule "b" and "a" are of one database \[DECLARED_TWICE\]/);
    expect(message).not.toMatch(/\n\s+at /);
    expect(sandbox.resources()).toEqual([]);
  });
});
