import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { pictureOf } from "../support/picture.js";
import { openProject } from "../support/project.js";
import { expectNoSecrets } from "../support/secrets.js";
import { hasTerminal, pulumiOnTerminal, type Screen, textOf } from "../support/terminal.js";
import { openSandbox, quick, takeRequests } from "../support/test-stack.js";

const source = readFileSync(new URL("../../examples/quickstart/index.ts", import.meta.url), "utf8");

const canaries = {
  apiKey: "sandbox_canary-of-the-key",
  passcode: "canary-passcode",
  webhookSecret: "canary-webhook-secret",
};

const up = ["up", "--yes", "--skip-preview"];
/** What the terminal showed after the first `up`. */
let firstScreen: Screen | undefined;

it("the quickstart works from up to destroy with the `pulumi` command", async () => {
  const sandbox = await openSandbox();
  const { passcode, webhookSecret } = canaries;
  const project = await openProject({
    files: { "Pulumi.yaml": "name: quickstart\nruntime: nodejs\n", "index.ts": source },
    name: "local",
    config: {
      ...quick,
      "cloudservices:baseUrl": sandbox.baseUrl,
      "cloudservices:apiKey": { secret: canaries.apiKey },
      "quickstart:passcode": { secret: passcode },
      "quickstart:webhookSecret": { secret: webhookSecret },
    },
  });
  const said: string[] = [];
  const pulumi = async (...args: string[]) => {
    const { code, stdout, stderr } = await project.pulumi(args);
    said.push(stdout, stderr);
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  };

  if (hasTerminal) {
    const { code, output, screen } = await pulumiOnTerminal(project, up);
    said.push(output);
    expect(code, output).toBe(0);
    expect(textOf(screen)).toMatch(/\+ 7 created/);
    firstScreen = screen;
  } else expect(await pulumi(...up)).toMatch(/\+ 7 created/);
  takeRequests(sandbox);
  await pulumi(...up, "--expect-no-changes");
  await pulumi("preview", "--expect-no-changes");
  expect(takeRequests(sandbox)).toEqual([]);

  project.write({ "index.ts": source.replace('title: "Home"', 'title: "Start"') });
  const plan = await pulumi("preview", "--diff");
  expect(plan).toMatch(/~ title\s*: "Home" => "Start"/);
  expect(plan).not.toMatch(/__(urn|name|state|provider)/);
  expect(await pulumi(...up)).toMatch(/~ 1 updated/);

  project.write({
    "index.ts": source.replace('"eu-central-1"', '"us-east-1"').replace('title: "Home"', 'title: "Start"'),
  });
  expect(await pulumi(...up)).toMatch(/\+-\s*3 replaced/);
  expect(sandbox.resources()).toHaveLength(6);
  await pulumi("preview", "--expect-no-changes");

  const link = sandbox.resources().find(({ kind }) => kind === "Link");
  const url = String(link?.fields["destination_url"]);
  sandbox.change(link?.id ?? "", { destination_url: "https://evil.example.com/" });
  expect(await pulumi("refresh", "--yes")).toMatch(/\[diff: ~url/);
  expect(await pulumi("preview", "--diff")).toMatch(
    /~ url\s*: "https:\/\/evil\.example\.com\/" => "http:\/\//,
  );
  await pulumi(...up);
  expect(sandbox.resources().find(({ id }) => id === link?.id)?.fields["destination_url"]).toBe(url);

  const uri = (await project.pulumi(["stack", "output", "databaseUri", "--show-secrets"])).stdout.trim();
  const secrets = { ...canaries, uri, password: decodeURIComponent(new URL(uri).password) };
  expectNoSecrets(said.join("\n"), secrets);
  expectNoSecrets((await project.export()).text, secrets);

  await pulumi("destroy", "--yes", "--skip-preview");
  expect(sandbox.resources()).toEqual([]);
  expect((await project.export()).resources).toEqual([]);
});

it.runIf(hasTerminal)("docs/images/pulumi-up.svg shows the first `up` of the quickstart", async () => {
  if (!firstScreen) throw new Error("The test of the quickstart did not reach the end of its first `up`.");
  const title = "pulumi up creates the six resources of the quickstart and shows their outputs";
  const picture = pictureOf({ title, command: `pulumi ${up.join(" ")}`, program: source }, firstScreen);
  await expect(
    picture,
    "docs/images/pulumi-up.svg is out of date: run `npm run picture`",
  ).toMatchFileSnapshot("../../docs/images/pulumi-up.svg");
});
