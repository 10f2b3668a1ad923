import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openProject } from "../support/project.js";
import { expectNoSecrets } from "../support/secrets.js";
import { openSandbox, quick, takeRequests } from "../support/test-stack.js";

const source = readFileSync(new URL("../../examples/quickstart/index.ts", import.meta.url), "utf8");

const canaries = {
  apiKey: "sandbox_canary-of-the-key",
  passcode: "canary-passcode",
  webhookSecret: "canary-webhook-secret",
};

it("the quickstart works from up to destroy with the `pulumi` command", async () => {
  const sandbox = await openSandbox();
  const { passcode, webhookSecret } = canaries;
  const project = await openProject({
    files: { "index.ts": source },
    config: {
      ...quick,
      "cloudservices:baseUrl": sandbox.baseUrl,
      "cloudservices:apiKey": { secret: canaries.apiKey },
      "test:passcode": { secret: passcode },
      "test:webhookSecret": { secret: webhookSecret },
    },
  });
  const said: string[] = [];
  const pulumi = async (...args: string[]) => {
    const { code, stdout, stderr } = await project.pulumi(args);
    said.push(stdout, stderr);
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  };

  expect(await pulumi("up", "--yes", "--skip-preview")).toMatch(/\+ 7 created/);
  takeRequests(sandbox);
  await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  await pulumi("preview", "--expect-no-changes");
  expect(takeRequests(sandbox)).toEqual([]);

  project.write({ "index.ts": source.replace('title: "Home"', 'title: "Start"') });
  const plan = await pulumi("preview", "--diff");
  expect(plan).toMatch(/~ title\s*: "Home" => "Start"/);
  expect(plan).not.toMatch(/__(urn|name|state|provider)/);
  expect(await pulumi("up", "--yes", "--skip-preview")).toMatch(/~ 1 updated/);

  project.write({
    "index.ts": source.replace('"eu-central-1"', '"us-east-1"').replace('title: "Home"', 'title: "Start"'),
  });
  expect(await pulumi("up", "--yes", "--skip-preview")).toMatch(/\+-\s*3 replaced/);
  expect(sandbox.resources()).toHaveLength(6);
  await pulumi("preview", "--expect-no-changes");

  const link = sandbox.resources().find(({ kind }) => kind === "Link");
  const url = String(link?.fields["destination_url"]);
  sandbox.change(link?.id ?? "", { destination_url: "https://evil.example.com/" });
  expect(await pulumi("refresh", "--yes")).toMatch(/\[diff: ~url/);
  expect(await pulumi("preview", "--diff")).toMatch(
    /~ url\s*: "https:\/\/evil\.example\.com\/" => "http:\/\//,
  );
  await pulumi("up", "--yes", "--skip-preview");
  expect(sandbox.resources().find(({ id }) => id === link?.id)?.fields["destination_url"]).toBe(url);

  const uri = (await project.pulumi(["stack", "output", "databaseUri", "--show-secrets"])).stdout.trim();
  const secrets = { ...canaries, uri, password: decodeURIComponent(new URL(uri).password) };
  expectNoSecrets(said.join("\n"), secrets);
  expectNoSecrets((await project.export()).text, secrets);

  await pulumi("destroy", "--yes", "--skip-preview");
  expect(sandbox.resources()).toEqual([]);
  expect((await project.export()).resources).toEqual([]);
});
