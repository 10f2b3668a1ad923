import { chmodSync, copyFileSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CloudServices } from "cloudservices-sdk";
import { expect, it } from "vitest";
import { z } from "zod";
import { run } from "../../tools/process/run.mjs";
import { openFolder } from "../support/folder.js";
import { openProject } from "../support/project.js";
import { openSandbox, quick, takeRequests } from "../support/test-stack.js";

const script = fileURLToPath(new URL("../../examples/pipeline/pipeline.sh", import.meta.url));

const command = fileURLToPath(new URL("../../provider/bin/pulumi-cloudservices.mjs", import.meta.url));

const passcode = "the passcode";

interface Program {
  readonly url?: string;
  readonly serverPlan?: string;
  readonly image?: string;
  readonly inbox?: boolean;
}

const program = ({
  url = "https://example.com/",
  serverPlan = "vps-micro-1",
  image,
  inbox,
}: Program = {}) => `
  const { Database, Inbox, Link, VpsInstance } = require("pulumi-cloudservices");
  const region = "eu-central-1";
  const home = { url: "${url}", passcode: "${passcode}" };
  new Link("home", home);
  new Link("other|\`<b>@team", { url: "https://example.com/other" });
  new Database("orders", { engine: "postgresql", version: "16", plan: "db-starter-1", region });
  new VpsInstance("web", { plan: "${serverPlan}", region, image: "${image ?? "debian-12"}" });
  ${inbox ? 'new Inbox("signup", {});' : 'new Link("old", { url: "https://example.com/old" });'}
`;

/** The part of an exported state that the test changes. */
const exportFile = z.looseObject({
  deployment: z.looseObject({ resources: z.array(z.looseObject({ urn: z.string() })) }),
});

const planOf = (markdown: string): string => /Plan `(\w+)`/.exec(markdown)?.[1] ?? "none";

/** Runs the pipeline as a server would: a push to `main` applies, one to another branch previews. */
const hook = `#!/bin/sh
set -eu
while read -r _ commit ref; do
  git --work-tree="$PROJECT" checkout --quiet -f "$commit" -- .
  cd "$PROJECT"
  unset GIT_DIR
  code=0
  if [ "$ref" = refs/heads/main ]; then sh pipeline.sh apply; else sh pipeline.sh preview; fi || code=$?
  echo "exit code $code"
done
`;

it("a push to a git repository previews, summarises and applies, and drift is detected", async () => {
  const sandbox = await openSandbox();
  const config = { "cloudservices:baseUrl": sandbox.baseUrl, ...quick };
  const project = await openProject({ files: { "index.js": "" }, config });
  const env = {
    ...process.env,
    ...project.environment,
    PROJECT: project.folder,
    PULUMI_STACK: "dev",
    CLOUDSERVICES_API_KEY: sandbox.apiKey,
  };
  // Like an installation. A checkout that was installed before the command was there does not have it.
  project.write({ "node_modules/.bin/.keep": "" });
  symlinkSync(command, join(project.folder, "node_modules/.bin/pulumi-cloudservices"));
  const step = (name: string, more: Readonly<Record<string, string>> = {}) =>
    run("sh", [script, name], { cwd: project.folder, env: { ...env, ...more } });

  const repository = openFolder();
  const git = async (...args: readonly string[]) => {
    const outcome = await run("git", args, { cwd: join(repository.path, "clone"), env });
    expect(outcome.code, outcome.stderr).toBe(0);
    return outcome.stderr.replaceAll(/^remote: ?(.*?) *$/gm, "$1");
  };
  repository.write({ "clone/index.js": "", "bare/hooks/post-receive": hook });
  copyFileSync(script, join(repository.path, "clone/pipeline.sh"));
  await git("init", "--quiet", "--bare", "../bare");
  chmodSync(join(repository.path, "bare/hooks/post-receive"), 0o755);
  await git("init", "--quiet");
  const push = async (branch: string, source: string) => {
    repository.write({ "clone/index.js": source });
    await git("add", ".");
    const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    await git(...author, "commit", "--quiet", "--allow-empty", "-m", "change");
    return await git("push", "--quiet", "../bare", `HEAD:refs/heads/${branch}`);
  };
  const writes = () => takeRequests(sandbox).filter((request) => !request.startsWith("GET "));
  const summary = () => readFileSync(join(project.folder, "summary.md"), "utf8");

  expect(await push("change", program())).toContain("exit code 0");
  expect(takeRequests(sandbox)).toEqual([]);
  expect(summary()).toContain("5 created. Cost: **+4.00 USD a month**, 1 without a listed price.");
  expect(summary()).toContain("| Link ``other\\|`<b>@team`` | created |");
  const applied = await push("main", program());
  expect(applied).toContain("exit code 0");
  expect(applied).not.toContain(passcode);
  expect(sandbox.resources()).toHaveLength(5);

  expect(await push("change", program({ url: "not a URL" }))).toContain("exit code 2");
  expect(summary()).toMatch(/Link `home`: `url must be .*` `INPUT_INVALID`/);

  // At the service, a link changes; the program replaces the server and deletes a link.
  const changed = sandbox
    .resources()
    .find(({ fields }) => fields["destination_url"] === "https://example.com/");
  sandbox.change(changed?.id ?? "", { destination_url: "https://elsewhere.example.com/" });
  takeRequests(sandbox);
  const next = program({ serverPlan: "vps-standard-2", image: "debian-11", inbox: true });
  expect(await push("change", next)).toContain("exit code 0");
  expect(writes()).toEqual([]);
  const said = summary();
  expect(said).toContain(
    "**1 replaced**, **1 deleted**, 1 with drift, 1 created. Cost: **+11.00 USD a month**.",
  );
  expect(said).toContain(
    "| VpsInstance `web` | **a new one is created, and the old one is deleted with its disk** | " +
      '`image`: `"debian-12"` → `"debian-11"` (forces the replacement)<br>' +
      '`plan`: `"vps-micro-1"` → `"vps-standard-2"` |',
  );
  expect(said).toContain("| Link `old` | **deleted** |");
  expect(said).toContain('`url`: `"https://elsewhere.example.com/"` → `"https://example.com/"` (drift)');
  expect(said).not.toContain(passcode);

  project.write({ "index.js": program() });
  const page = join(project.folder, "page.md");
  const drift = await step("drift", { GITHUB_STEP_SUMMARY: page });
  expect(drift).toMatchObject({ code: 7, stdout: expect.stringContaining("(drift)") });
  expect(readFileSync(page, "utf8")).toBe(summary());
  expect(writes()).toEqual([]);
  project.write({ "index.js": next });
  expect(await step("apply", { REVIEWED_PLAN: planOf(said) })).toMatchObject({ code: 0 });
  const clean = await step("drift");
  expect(clean).toMatchObject({ code: 0, stdout: expect.stringContaining("No changes.") });

  // A replacement was interrupted after the new database was there: the state still has the old one.
  const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
  const { id } = await client.databases.create({
    name: "old-orders",
    engine: "postgresql",
    version: "16",
    plan: "db-starter-1",
    region: "eu-central-1",
  });
  const { text } = await project.export();
  const interrupted = exportFile.parse(JSON.parse(text));
  const { resources } = interrupted.deployment;
  const orders = resources.find(({ urn }) => urn.endsWith("Database::orders"));
  const old = { ...orders, urn: orders?.urn ?? "", id, delete: true };
  const importState = async (state: string) =>
    expect(await project.pulumi(["stack", "import", "--stack", "dev"], { input: state })).toMatchObject({
      code: 0,
    });
  await importState(
    JSON.stringify({
      ...interrupted,
      deployment: { ...interrupted.deployment, resources: [...resources, old] },
    }),
  );
  const leftover = await step("drift");
  expect(leftover, leftover.stdout).toMatchObject({
    code: 7,
    stdout: expect.stringContaining("**1 deleted**."),
  });
  expect(summary()).toContain(
    "| Database `orders` | **deleted with its data** (left by an interrupted replacement) |",
  );
  expect(await step("apply", { REVIEWED_PLAN: planOf(clean.stdout) })).toMatchObject({ code: 10 });
  await importState(text);
  await sandbox.remove(id);

  // Another tenant's key finds nothing; that must not look like drift to be repaired by making everything anew.
  const otherAccount = await step("drift", { CLOUDSERVICES_API_KEY: "sandbox_somebody-else" });
  expect(otherAccount).toMatchObject({ code: 4, stdout: expect.stringContaining("`KEY_CHANGED`") });
  expect(await step("drift", { PULUMI_STACK: "none" })).toMatchObject({ code: 6 });
  expect(await step("drift", { PULUMI_STACK: "" })).toMatchObject({ code: 2 });
  expect(await step("sideways")).toMatchObject({ code: 2 });

  // The database disappears after the review: applying would silently create an empty one.
  await sandbox.remove(sandbox.resources().find(({ id }) => id.startsWith("db_"))?.id ?? "");
  takeRequests(sandbox);
  expect(await step("apply", { REVIEWED_PLAN: planOf(clean.stdout) })).toMatchObject({ code: 10 });
  expect(summary()).toContain("**1 deleted at the service and created again**.");
  expect(summary()).toContain(
    "| Database `orders` | **deleted outside of this program; applying creates a new one without its data** |",
  );
  expect(writes()).toEqual([]);
});
