import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import { Database, Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { openProject } from "../support/project.js";
import { openProxy } from "../support/proxy.js";
import { expectNoSecrets } from "../support/secrets.js";
import { failureOf } from "../support/stack.js";
import { openSandbox, openTestStack, quick } from "../support/test-stack.js";

const canaries = {
  apiKey: "sandbox_canary-of-the-key",
  passcode: "canary/of the passcode+1",
  webhookSecret: "canary-of-the-webhook-secret",
  userData: "#!/bin/sh\necho canary-of-the-user-data",
};

const region = "eu-central-1";

const program = async () => {
  new Link("docs", { url: "https://example.com/", passcode: canaries.passcode });
  new Webhook("hook", {
    url: "https://example.com/",
    events: ["database.backup.failed"],
    secret: canaries.webhookSecret,
  });
  new VpsInstance("web", { plan: "vps-micro-1", region, image: "debian-12", userData: canaries.userData });
  const orders = new Database("orders", {
    engine: "postgresql",
    version: "16",
    plan: "db-starter-1",
    region,
    enableConnectionPool: true,
  });
  return { uri: orders.connectionUri, pool: orders.poolUri, password: orders.password };
};

/** The same as a program on disk, which does not hold the secrets itself. */
const source = (
  title: string,
) => `const { Database, Link, VpsInstance, Webhook } = require("pulumi-cloudservices");
const { passcode, webhookSecret: secret, userData } = process.env;
const [url, region] = ["https://example.com/", "${region}"];
const docs = new Link("docs", { url, passcode, title: "${title}" });
const after = { dependsOn: docs };
new Webhook("hook", { url: url + "${title}", events: ["database.backup.failed"], secret }, after);
new VpsInstance("web", { name: "${title}", plan: "vps-micro-1", region, image: "debian-12", userData }, after);
const database = { engine: "postgresql", version: "16", plan: "db-starter-1", region, enableConnectionPool: true };
const orders = new Database("orders", { ...database, name: "${title}" }, after);
module.exports = { uri: orders.connectionUri, pool: orders.poolUri, password: orders.password };
`;

const { apiKey: _, ...secretVariables } = canaries;

const config = { "cloudservices:apiKey": { secret: canaries.apiKey } };

/**
 * What the engine reports, less the debug message in which Pulumi's own Node SDK prints the engine's answer to each
 * registration, secrets and all. It does so for every provider, the ones that do nothing included.
 */
const ofOurs = (events: readonly EngineEvent[]) =>
  events.filter(
    ({ diagnosticEvent }) => !/^(Register|Read)Resource RPC finished/.test(diagnosticEvent?.message ?? ""),
  );

describe("pain: connection URIs and passwords in plain text", () => {
  it("the state, the engine's output and its events contain no secret, from up to destroy", async () => {
    const { stack } = await openTestStack(program, { config });
    const up = await stack.up();
    const secrets = {
      ...canaries,
      password: String(up.outputs["password"]?.value),
      uri: String(up.outputs["uri"]?.value),
      poolUri: String(up.outputs["pool"]?.value),
    };
    expect(secrets.uri).toContain(secrets.password);
    for (const output of ["uri", "pool", "password"]) expect(up.outputs[output]?.secret).toBe(true);

    const said: unknown[] = [up.stdout, up.stderr, ofOurs(up.events), (await stack.export()).text];
    for (const operation of [stack.refresh, stack.preview, stack.destroy]) {
      const { stdout, stderr, events } = await operation();
      said.push(stdout, stderr, ofOurs(events), (await stack.export()).text);
    }
    expectNoSecrets(
      said.map((part) => (typeof part === "string" ? part : JSON.stringify(part))).join("\n"),
      secrets,
    );
  });

  it.each([400, 500])(
    "the messages and state of a failed operation contain no secret, although the service's %d repeats them all",
    async (status) => {
      const service = await openProxy(await openSandbox());
      const project = await openProject({
        files: { "index.js": source("one") },
        sandbox: { ...service, apiKey: canaries.apiKey },
        config: { ...quick, "cloudservices:maxRetries": "0" },
        env: { ...secretVariables, PULUMI_DEBUG_COMMANDS: "true" },
      });
      const events = join(project.folder, "events");
      const said: string[] = [];
      const pulumi = async (...args: string[]) => {
        rmSync(events, { force: true });
        const { code, stdout, stderr } = await project.pulumi([...args, "--event-log", events]);
        const reported = readFileSync(events, "utf8")
          .split("\n")
          .filter((line) => !/"debug: "/.test(line));
        said.push(stdout, stderr, ...reported, (await project.export()).text);
        return code;
      };
      const { passcode, webhookSecret, userData } = canaries;
      const of = {
        shortener: [passcode],
        webhooks: [webhookSecret],
        vps: [userData],
        databases: [] as string[],
      };
      const own = (path: string) => Object.entries(of).find(([area]) => path.includes(`/${area}`))?.[1] ?? [];

      // What it says of the others holds the secret of the link, too, which was created before.
      service.reject(status, (path) => (own(path) === of.shortener ? undefined : [passcode, ...own(path)]));
      expect(await pulumi("up", "--yes", "--skip-preview")).not.toBe(0);
      expect(said.join("")).toContain("[secret]");
      service.passThrough();
      expect(await pulumi("up", "--yes", "--skip-preview")).toBe(0);
      const shown = await project.pulumi(["stack", "output", "--json", "--show-secrets"]);
      const generated: Record<string, string> = JSON.parse(shown.stdout);
      expect(Object.keys(generated)).toEqual(["password", "pool", "uri"]);

      of.databases.push(...Object.values(generated));
      service.reject(status, own);
      project.write({ "index.js": source("two") });
      for (const command of ["up", "refresh", "destroy"])
        expect(await pulumi(command, "--yes", "--skip-preview"), command).not.toBe(0);
      expectNoSecrets(said.join("\n"), { ...canaries, ...generated });
    },
  );

  it("the state of a failed server contains no secret, although its failure reason quotes one", async () => {
    const userData = "#!/bin/sh\nexport TOKEN=canary-of-one-line\n";
    const server = { plan: "vps-micro-1", region, image: "debian-12", userData };
    const impatient = { customTimeouts: { create: "3s" } };
    const { sandbox, stack } = await openTestStack(
      async () => void new VpsInstance("web", server, impatient),
    );
    const reason = "boot script failed at 'export TOKEN=canary-of-one-line'";
    sandbox.progress("vps", { mode: "fail", reason, ms: 3_600_000 });
    await failureOf(stack.up());
    await sandbox.clock.advance(3_600_000);
    const said = [await failureOf(stack.up({ program: async () => void new VpsInstance("web", server) }))];
    said.push((await stack.export()).text);
    said.push((await stack.refresh()).stdout, (await stack.export()).text);
    expect(said.at(-1)).toContain("boot script failed at '[secret]'");
    expectNoSecrets(said.join("\n"), { token: "canary-of-one-line" });
  });

  it("the message about an invalid secret does not repeat it", async () => {
    const wrong = async () => {
      const passcode: unknown = ["canary-in-a-list"];
      Reflect.construct(Link, ["docs", { url: "https://example.com/", passcode }]);
    };
    const { stack } = await openTestStack(wrong);
    const said = await failureOf(stack.preview());
    expect(said).toContain("passcode must be a string");
    expectNoSecrets(said, { passcode: "canary-in-a-list" });
  });
});
