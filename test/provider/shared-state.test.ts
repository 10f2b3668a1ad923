import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { run } from "../../tools/process/run.mjs";
import { openFolder } from "../support/folder.js";
import { killProviders, until } from "../support/processes.js";
import { openProject, type TestProject } from "../support/project.js";
import { type Bucket, openBucket, s3Program } from "../support/s3.js";
import { openSandbox } from "../support/test-stack.js";

const program = await s3Program();

const example = fileURLToPath(new URL("../../examples/preview-environments/index.mjs", import.meta.url));

/** The file of the stack's settings, which a team has in its repository. */
const SETTINGS = "Pulumi.dev.yaml";

/** How many environments are created at the same time. */
const ENVIRONMENTS = Number(process.env["PREVIEW_ENVIRONMENTS"] ?? 3);

/** The files that each member of a team has in a checkout of its own. */
const files = {
  "index.js": `const pulumi = require("@pulumi/pulumi");
const { Link } = require("pulumi-cloudservices");
new Link("home", { url: "https://example.com/", passcode: pulumi.secret("open sesame") });
new Link("docs", { url: "https://example.com/docs" });
`,
};

it.skipIf(program === undefined)(
  "a team shares a stack in S3: its lock, a killed run, and secrets",
  async () => {
    const bucket = await openBucket(program ?? "");
    const sandbox = await openSandbox();
    const checkout = () => openProject({ files, env: bucket.environment });
    const [one, other] = [await checkout(), await checkout()];
    const must = async (project: TestProject, ...args: string[]) => {
      const { code, stdout, stderr } = await project.pulumi(args);
      expect(code, stdout + stderr).toBe(0);
    };
    // The stack's secrets are encrypted with the team's passphrase.
    one.write({ [SETTINGS]: "{}" });
    await must(one, "stack", "init", "dev");
    await must(one, "config", "set", "cloudservices:baseUrl", sandbox.baseUrl);
    await must(one, "config", "set", "cloudservices:apiKey", sandbox.apiKey, "--secret");
    other.write({ [SETTINGS]: readFileSync(join(one.folder, SETTINGS), "utf8") });

    // While one applies, the other is refused, and changes nothing.
    const post = { route: "/shortener/links", method: "POST", when: "after" } as const;
    sandbox.faults.add({ kind: "slow", ...post, ms: 20_000, count: 1 });
    const applying = one.pulumi(["up", "--yes", "--skip-preview"]);
    await until(() => sandbox.resources().length === 2, "the creations");
    const refused = await other.pulumi(["up", "--yes", "--skip-preview"]);
    expect(refused.code).not.toBe(0);
    expect(refused.stdout + refused.stderr).toContain("currently locked by 1 lock");
    expect(await applying).toMatchObject({ code: 0 });
    await must(other, "preview", "--expect-no-changes");

    // A killed run leaves its lock behind; another member clears it and finishes.
    const more = {
      "index.js": `${files["index.js"]}new Link("blog", { url: "https://example.com/blog" });\n`,
    };
    for (const project of [one, other]) project.write(more);
    sandbox.faults.add({ kind: "slow", ...post, ms: 60_000, count: 1 });
    const engine = new AbortController();
    const killed = one.pulumi(["up", "--yes", "--skip-preview"], { signal: engine.signal });
    await until(() => sandbox.resources().length === 3, "the third creation");
    engine.abort();
    await killed;
    killProviders(one.folder);
    const locked = await other.pulumi(["up", "--yes", "--skip-preview"]);
    expect(locked.stdout + locked.stderr).toContain("currently locked by 1 lock");
    await must(other, "cancel", "--yes");
    await must(other, "config", "set", "cloudservices:adoptInterrupted", "true");
    await must(other, "up", "--yes");
    expect(sandbox.resources()).toHaveLength(3);

    await expectNoSecret(bucket, ["open sesame", sandbox.apiKey]);
    await must(other, "destroy", "--yes", "--skip-preview");
    expect(sandbox.resources()).toEqual([]);
  },
);

it.skipIf(program === undefined)("preview environments share a bucket at the same time", async () => {
  const bucket = await openBucket(program ?? "");
  const sandbox = await openSandbox();
  const branches = Array.from({ length: ENVIRONMENTS }, (_, at) => `feature/${at}`);
  const env = {
    CLOUDSERVICES_BASE_URL: sandbox.baseUrl,
    CLOUDSERVICES_API_KEY: sandbox.apiKey,
  };
  const each = (command: string) =>
    Promise.all(
      branches.map((branch) => {
        const { path, environment } = openFolder();
        return run(process.execPath, [example, command, branch], {
          cwd: path,
          env: { ...process.env, ...environment, ...bucket.environment, ...env },
        });
      }),
    );
  for (const made of await each("up")) expect(made).toMatchObject({ code: 0 });
  expect(sandbox.resources()).toHaveLength(3 * ENVIRONMENTS);
  const passwords = (await each("show")).map(
    ({ stdout }) => /^database\t\S+:(\S+)@/m.exec(stdout)?.[1] ?? "",
  );
  expect(new Set(passwords).size).toBe(ENVIRONMENTS);
  await expectNoSecret(bucket, [sandbox.apiKey, ...passwords]);
  for (const gone of await each("down")) expect(gone).toMatchObject({ code: 0 });
  expect(sandbox.resources()).toEqual([]);
});

async function expectNoSecret(bucket: Bucket, secrets: readonly string[]): Promise<void> {
  const objects = await bucket.objects();
  expect([...objects.keys()].filter((key) => /stacks.*\.json$/.test(key))).not.toEqual([]);
  for (const text of objects.values()) for (const secret of secrets) expect(text).not.toContain(secret);
}
