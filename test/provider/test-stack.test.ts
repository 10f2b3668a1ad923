import { existsSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { Link } from "pulumi-cloudservices";
import { mocks, type TestStackOptions, testStack } from "pulumi-cloudservices/testing";
import { expect, it } from "vitest";
import { run } from "../../tools/process/run.mjs";
import { closeLater, openFolder } from "../support/folder.js";
import { sixKinds } from "../support/six-kinds.js";
import { plain, stateOf } from "../support/state.js";
import { openSandbox } from "../support/test-stack.js";

async function open(program: pulumi.automation.PulumiFn, options?: TestStackOptions) {
  const stack = await testStack(program, options);
  closeLater(() => stack.close());
  return stack;
}

const oneLink = (url: string) => async () => ({ shortUrl: new Link("home", { url }).shortUrl });

it("runs a program on a sandbox of its own, and shows its requests", async () => {
  const stack = await open(oneLink("https://example.com/"));
  const { summary, outputs } = await stack.up();
  expect(summary).toEqual({ create: 1 });
  expect(stack.requests()).toEqual(["POST /shortener/links"]);
  const [link] = stack.sandbox.resources();
  expect(outputs["shortUrl"]?.value).toMatch(new RegExp(`^${stack.sandbox.url}/\\w+$`));
  expect((await stack.up()).summary).toEqual({ same: 1 });
  expect(stack.requests()).toEqual([]);

  const changed = { program: oneLink("https://example.com/changed") };
  expect((await stack.preview(changed)).summary).toEqual({ update: 1 });
  expect((await stack.up()).summary).toEqual({ update: 1 });
  expect(stack.requests()).toEqual([`PATCH /shortener/links/${link?.id}`]);
  expect((await stack.refresh()).summary).toEqual({ same: 1 });
  expect((await stack.destroy()).summary).toEqual({ delete: 1 });
  expect(stack.sandbox.resources()).toEqual([]);

  const folder = stack.stack.workspace.workDir;
  await stack.close();
  await stack.close();
  expect(existsSync(folder)).toBe(false);
  await expect(fetch(stack.sandbox.url)).rejects.toThrow();
});

it("fails with the provider's message, and leaves a given sandbox running", async () => {
  const sandbox = await openSandbox();
  const stack = await open(oneLink("javascript:alert(1)"), { sandbox });
  const error = await stack.preview().catch((reason) => reason);
  expect(error).toBeInstanceOf(pulumi.automation.CommandError);
  // Once in the progress and once in the diagnostics.
  expect(error.message.match(/\[INPUT_INVALID\]/g)).toHaveLength(2);
  expect(stack.requests()).toEqual([]);
  await stack.close();
  expect((await fetch(sandbox.url)).ok).toBe(true);
});

it("takes a project's settings without secrets, and can be opened again beside another stack", async () => {
  const { path, write } = openFolder();
  write({
    "Pulumi.yaml": "name: shop\nruntime: nodejs\n",
    "Pulumi.dev.yaml": `config:
  shop:domain: example.com
  shop:token: { secure: "v1:of:another stack" }
  shop:deep: { list: [{ secure: "v1:of:another stack" }] }
`,
  });
  const first = await open(oneLink("https://example.com/"));
  for (let opened = 0; opened < 2; opened++) {
    const { stack, close } = await testStack(path, { name: "dev", shareWith: first });
    const settings = Object.keys(await stack.getAllConfig()).filter((key) => key.startsWith("shop:"));
    await close();
    expect(settings).toEqual(["shop:domain"]);
  }
  const sandbox = await openSandbox();
  await expect(testStack(path, { sandbox, shareWith: first })).rejects.toThrow(TypeError);
});

it("says what is missing without the command", async () => {
  const path = process.env["PATH"];
  process.env["PATH"] = "";
  try {
    await expect(testStack(async () => {})).rejects.toThrow(/the command `pulumi`.*\[PROGRAM_INVALID\]/);
  } finally {
    process.env["PATH"] = path;
  }
});

/** Returns the form of a value: the type, and for texts what does not differ between two services. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(formOf);
  if (typeof value !== "string") return typeof value;
  if (!Number.isNaN(Date.parse(value)) && /^\d{4}-/.test(value)) return "time";
  return /^[a-z]+:/.exec(value)?.[0]?.replace("https:", "http:") ?? "text";
}

const formsOf = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([key]) => !key.startsWith("__"))
      .map(([key, value]) => [key, formOf(plain(value))]),
  );

it("mocks have the outputs of the engine and the sandbox", async () => {
  const stack = await open(sixKinds());
  await stack.up();
  const { workDir, envVars } = stack.stack.workspace;
  const shown = await run("pulumi", ["stack", "export", "--show-secrets"], {
    cwd: workDir,
    env: { ...process.env, ...envVars },
  });
  const real = stateOf(shown.stdout).resources;

  const mocked: pulumi.runtime.MockResourceResult[] = [];
  const all = mocks();
  await pulumi.runtime.setMocks({
    ...all,
    async newResource(args) {
      const result = await all.newResource(args);
      mocked.push({ id: args.name, state: result.state });
      return result;
    },
  });
  await sixKinds()();
  await expect.poll(() => mocked.length).toBe(real.length);
  for (const { urn, outputs } of real) {
    const twin = mocked.find(({ id }) => urn.endsWith(`::${id}`));
    const values = await new Promise<object>((resolve) => {
      pulumi.output(twin?.state).apply((state) => resolve({ ...state }));
    });
    expect({ urn, ...formsOf({ ...values }) }).toEqual({ urn, ...formsOf(outputs) });
  }
});
