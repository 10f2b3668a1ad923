import type { PulumiFn } from "@pulumi/pulumi/automation/index.js";
import type { Sandbox } from "cloudservices-sandbox";
import { Database, Link, Provider, type ProviderArgs } from "pulumi-cloudservices/native";
import { describe, expect, it } from "vitest";
import { openNativeStack } from "../support/native.js";
import { failureOf } from "../support/stack.js";
import { openSandbox } from "../support/test-stack.js";

/*
 * Where a message says to change a setting: the configuration of the stack has no effect on an explicit provider.
 */

const url = "https://example.com/docs";

const ofProvider =
  (args: ProviderArgs, inputs: { title?: string } = {}): PulumiFn =>
  async () =>
    void new Link("docs", { url, ...inputs }, { provider: new Provider("eu", args) });

const ofStack =
  (inputs: { title?: string } = {}): PulumiFn =>
  async () =>
    void new Link("docs", { url, ...inputs });

const accountOf = ({ baseUrl, apiKey }: Sandbox) => ({ baseUrl, apiKey });

const COMMAND = "pulumi config set";

describe("a message about a resource of an explicit provider names its arguments", () => {
  it("when it has another key", async () => {
    const { sandbox, stack } = await openNativeStack(async () => undefined);
    const right = accountOf(sandbox);
    await stack.up({ program: ofProvider(right) });
    const wrong = { ...right, apiKey: "sandbox_somebody-else" };
    const message = await failureOf(stack.up({ program: ofProvider(wrong, { title: "Docs" }) }));
    expect(message).toMatch(
      /\[KEY_CHANGED\].*if the key is wrong: apiKey in the arguments of the provider "eu"\n.*: acceptKeyChange: true in the arguments of the provider "eu", then pulumi up\n.*if the resource had another provider: /s,
    );
    expect(message).not.toContain(COMMAND);
    await stack.up({ program: ofProvider({ ...wrong, acceptKeyChange: true }) });
  });

  it("when it has another base URL", async () => {
    const { sandbox, stack } = await openNativeStack(async () => undefined);
    await stack.up({ program: ofProvider(accountOf(sandbox)) });
    const elsewhere = accountOf(await openSandbox());
    const message = await failureOf(stack.preview({ program: ofProvider(elsewhere, { title: "Docs" }) }));
    expect(message).toMatch(/\[WRONG_SERVICE\].*if the resource had another provider: /s);
    expect(message).toContain(`baseUrl: "${sandbox.baseUrl}" in the arguments of the provider "eu"`);
    expect(message).toContain(`formerBaseUrls: ["${sandbox.baseUrl}"] in the arguments of the provider "eu"`);
    expect(message).not.toContain(COMMAND);
    const moved = { ...elsewhere, formerBaseUrls: [sandbox.baseUrl] };
    expect((await stack.preview({ program: ofProvider(moved, { title: "Docs" }) })).summary).toMatchObject({
      update: 2,
    });
  });

  it("when it lacks settings, or rejects an input that a setting allows", async () => {
    const { sandbox, stack } = await openNativeStack(ofProvider({}));
    const message = await failureOf(stack.preview());
    expect(message).toMatch(
      /no API key.*\[CONFIG_INVALID\].*apiKey in the arguments of the provider "eu", or the environment variable CLOUDSERVICES_API_KEY.*baseUrl: "https:\/\/…\/v1" in the arguments of the provider "eu"/s,
    );
    expect(message).not.toContain(COMMAND);
    const misspelt = async () => {
      const provider = new Provider("eu", accountOf(sandbox));
      const plan = "db-startr-1";
      new Database(
        "orders",
        { engine: "postgresql", version: "16", plan, region: "eu-central-1" },
        { provider },
      );
    };
    expect(await failureOf(stack.preview({ program: misspelt }))).toMatch(
      /\[INPUT_UNLISTED\].*to use it anyway: allowUnlisted: true in the arguments of the provider "eu"/s,
    );
  });
});

it("a message about a resource of the default provider names the configuration of the stack", async () => {
  const { sandbox, stack } = await openNativeStack(ofStack());
  await stack.up();
  stack.configure({ "cloudservices:apiKey": { secret: "sandbox_somebody-else" } });
  expect(await failureOf(stack.up({ program: ofStack({ title: "Docs" }) }))).toMatch(
    /\[KEY_CHANGED\].*: pulumi config set --secret cloudservices:apiKey\n.*: pulumi config set cloudservices:acceptKeyChange true, then pulumi up\n.*if the resource had another provider: /s,
  );
  const elsewhere = await openSandbox();
  stack.configure({ "cloudservices:baseUrl": elsewhere.baseUrl });
  const message = await failureOf(stack.preview({ program: ofStack({ title: "Docs" }) }));
  expect(message).toContain(`pulumi config set cloudservices:baseUrl ${sandbox.baseUrl}\n`);
  expect(message).toContain(`pulumi config set cloudservices:formerBaseUrls ${sandbox.baseUrl}\n`);
});
