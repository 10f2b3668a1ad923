import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Config, Service } from "../support/config.js";
import { doingNothing } from "../support/do-nothing.js";
import { shapesOf } from "../support/log-shapes.js";
import { openProject, type TestProject } from "../support/project.js";
import { expectNoSecrets } from "../support/secrets.js";
import { plain, type State, stateOf } from "../support/state.js";
import { openSandbox, quick } from "../support/test-stack.js";

const given = {
  passcode: "canary/of the passcode+1",
  webhookSecret: "canary-of-the-webhook-secret",
  userData: "#!/bin/sh echo canary-of-the-user-data",
};
const apiKey = "sandbox_canary-of-the-key";

const program = `const { Config } = require("@pulumi/pulumi");
const { Database, Link, VpsInstance, Webhook } = require("pulumi-cloudservices");
const given = new Config();
const [url, region] = ["https://example.com/", "eu-central-1"];
new Link("docs", { url, passcode: given.requireSecret("passcode") });
new Webhook("hook", { url, events: ["database.backup.failed"], secret: given.requireSecret("webhookSecret") });
const server = { plan: "vps-micro-1", region, image: "debian-12" };
new VpsInstance("web", { ...server, userData: given.requireSecret("userData") });
const database = { engine: "postgresql", version: "16", plan: "db-starter-1", region };
const orders = new Database("orders", { ...database, enableConnectionPool: true });
exports.uri = orders.connectionUri;
exports.pool = orders.poolUri;
exports.password = orders.password;
`;

/** Everything that the engine can be asked to print and to write of its doings. */
const LOUD = ["--debug", "--logtostderr", "--logflow", "-v=9", "--event-log", "logs/events"];

const LIFE = {
  preview: ["preview"],
  up: ["up", "--yes", "--skip-preview"],
  refresh: ["refresh", "--yes", "--skip-preview"],
  destroy: ["destroy", "--yes", "--skip-preview"],
};

interface Life {
  readonly project: TestProject;
  /** What each command has logged. */
  readonly logs: Readonly<Record<string, string>>;
  /** After `up`, its secrets shown. */
  readonly state: State;
}

async function live(files: Readonly<Record<string, string>>, service: Service): Promise<Life> {
  const secrets = Object.entries(given).map(([key, secret]) => [`test:${key}`, { secret }]);
  const config: Config = { ...quick, ...Object.fromEntries(secrets) };
  const project = await openProject({ files, config, sandbox: { ...service, apiKey } });
  for (const name of ["logs", "tmp"]) mkdirSync(join(project.folder, name));
  const env = {
    TMPDIR: join(project.folder, "tmp"),
    PULUMI_DEBUG_COMMANDS: "true",
    CLOUDSERVICES_LOG: "debug",
  };

  const logs: Record<string, string> = {};
  let state = await project.export();
  for (const [name, args] of Object.entries(LIFE)) {
    const trace = join(project.folder, "logs/trace");
    const { code, stdout, stderr } = await project.pulumi([...args, ...LOUD, "--tracing", `file:${trace}`], {
      env,
    });
    expect(code, stderr.slice(-2_000)).toBe(0);
    const events = readFileSync(join(project.folder, "logs/events"), "utf8");
    logs[name] = [stdout, stderr, events, readFileSync(trace, "latin1")].join("\n");
    rmSync(join(project.folder, "logs/events"));
    if (name === "up") state = stateOf((await project.pulumi(["stack", "export", "--show-secrets"])).stdout);
  }
  return { project, logs, state };
}

/** Every file that the engine and its plugins have written, the logs that were asked for aside. */
const written = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(folder, "logs")));

it("no log at any level contains a secret that the engine does not log for an empty provider", async () => {
  const sandbox = await openSandbox();
  const ours = await live({ "index.js": program }, sandbox);
  const { resources } = ours.state;
  const secret = (name: string) => String(plain(resources.map(({ outputs }) => outputs[name]).find(Boolean)));
  const generated = { uri: secret("connectionUri"), pool: secret("poolUri"), password: secret("password") };
  const secrets = { ...given, apiKey, ...generated };
  expect(generated.uri).toContain(`:${generated.password}@`);

  expect(ours.logs["up"]).toContain("cloudservices debug: POST /databases: 201");
  expect(ours.logs["destroy"]).toContain("cloudservices debug: DELETE /databases/");

  const theirs = await live(doingNothing(ours.state), sandbox);
  for (const command of Object.keys(LIFE)) {
    const unavoidable = shapesOf(theirs.logs[command] ?? "", secrets);
    expect(unavoidable).not.toEqual([]);
    expect(unavoidable, command).toEqual(expect.arrayContaining(shapesOf(ours.logs[command] ?? "", secrets)));
  }

  const files = written(ours.project.folder);
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) expectNoSecrets(readFileSync(file, "latin1"), secrets);
});
