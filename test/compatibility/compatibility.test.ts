import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "cloudservices-sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { emptyFolder, packInto, root, type Tarball } from "../packages/tarballs.js";
import { openSandbox } from "../support/test-stack.js";
import { type Combination, supported, tried } from "./combinations.js";
import { openProject, type Project, reasonOf } from "./project.js";
import { pageOf, type Round } from "./table.js";
import { installTools } from "./toolchain.js";

let tarballs: readonly Tarball[];
const rounds: Record<"supported" | "tried", Round[]> = { supported: [], tried: [] };

beforeAll(async () => {
  await installTools();
  tarballs = await packInto(emptyFolder());
});

/** Installs the packages and takes a stack through its life. */
async function round(combination: Combination): Promise<Round> {
  const sandbox = await openSandbox();
  const { project, installed } = await openProject(combination, tarballs, {
    CLOUDSERVICES_BASE_URL: sandbox.baseUrl,
    CLOUDSERVICES_API_KEY: sandbox.apiKey,
  });
  if (installed.code !== 0)
    return { ...combination, versions: undefined, failed: `install: ${reasonOf(installed)}` };
  const versions = await project.versions();
  const failed = (await lifeOf(project, sandbox, combination)) ?? (await databaseOf(project));
  if (failed === undefined) expect(sandbox.resources()).toEqual([]);
  return { ...combination, versions, failed };
}

/** Creates a PostgreSQL database in the installed sandbox with the installed sdk. Returns why it failed. */
async function databaseOf(project: Project): Promise<string | undefined> {
  const source = `
    import { startSandbox } from "cloudservices-sandbox";
    import { CloudServices } from "cloudservices-sdk";
    const sandbox = await startSandbox({ postgres: "real" });
    const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
    const { id } = await client.databases.create({
      name: "orders", engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu-central-1",
    });
    console.log((await client.databases.waitUntilReady(id)).status);
    await sandbox.close();`;
  const ended = await project.run("node", ["--input-type=module", "-e", source]);
  return ended.code === 0 && ended.stdout.trim() === "ready" ? undefined : `sandbox: ${reasonOf(ended)}`;
}

/** Takes a stack through its life. Returns the step that failed, with the reason. */
async function lifeOf(
  project: Project,
  sandbox: Sandbox,
  combination: Combination,
): Promise<string | undefined> {
  if (combination.form.startsWith("TypeScript")) {
    const compiled = await project.run("node", ["node_modules/typescript/bin/tsc", "-p", "."]);
    if (compiled.code !== 0) return `tsc: ${reasonOf(compiled)}`;
  }
  const step = async (...args: string[]): Promise<string | undefined> => {
    const ended = await project.run("pulumi", ["--non-interactive", "--color", "never", ...args]);
    return ended.code === 0 ? undefined : `${args[0]}: ${reasonOf(ended)}`;
  };
  const failed =
    (await step("stack", "init", "dev")) ??
    (await step("up", "--yes", "--skip-preview")) ??
    (await step("up", "--yes", "--expect-no-changes"));
  if (failed !== undefined) return failed;
  project.writeProgram("https://example.com/changed");
  const changed = await step("up", "--yes", "--skip-preview");
  if (changed !== undefined) return changed;
  expect(sandbox.resources().map(({ fields }) => fields["destination_url"])).toEqual([
    "https://example.com/changed",
  ]);
  return step("destroy", "--yes", "--skip-preview");
}

const titleOf = ({ node, form, manager }: Combination) => `Node.js ${node}, ${form}, ${manager}`;

it.each(supported.map((one) => [titleOf(one), one] as const))("%s", async (_, combination) => {
  const done = await round(combination);
  rounds.supported.push(done);
  expect(done.failed).toBeUndefined();
});

it.each(tried.map((one) => [titleOf(one), one] as const))("tried: %s", async (_, combination) => {
  rounds.tried.push(await round(combination));
});

afterAll(() => {
  // A part of the rounds would make a page with holes.
  if (rounds.supported.length < supported.length || rounds.tried.length < tried.length) return;
  writeFileSync(join(root, "docs/compatibility.md"), pageOf(rounds.supported, rounds.tried));
});
