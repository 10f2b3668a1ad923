import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import { Database, Link, VpsInstance, Webhook } from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { openCloud } from "../support/cloud.js";
import { expectNoSecrets } from "../support/secrets.js";
import { failureOf } from "../support/stack.js";

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

const config = { "cloudservices:apiKey": { secret: canaries.apiKey } };

/**
 * What the engine reports, less the debug message in which Pulumi's own Node SDK prints the engine's answer to each
 * registration, secrets and all. It does so for every provider, the ones that do nothing included.
 */
const ofOurs = (events: readonly EngineEvent[]) =>
  events.filter(
    ({ diagnosticEvent }) => !/^(Register|Read)Resource RPC finished/.test(diagnosticEvent?.message ?? ""),
  );

describe("pain: connection URIs and passwords in the clear", () => {
  it("no secret is in the state, in what the engine prints, or in its events, through a whole life", async () => {
    const { stack } = await openCloud(program, { config });
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

  it("no secret is in what an error says, even where the service repeats it", async () => {
    const { sandbox, stack } = await openCloud(program, { config });
    sandbox.faults.add({ kind: "status", status: 500, when: "before", method: "POST", route: "*" });
    expectNoSecrets(await failureOf(stack.up()), canaries);
    expectNoSecrets((await stack.export()).text, canaries);
  });

  it("a wrong secret is refused without repeating it", async () => {
    const wrong = async () => {
      const passcode: unknown = ["canary-in-a-list"];
      Reflect.construct(Link, ["docs", { url: "https://example.com/", passcode }]);
    };
    const { stack } = await openCloud(wrong);
    const said = await failureOf(stack.preview());
    expect(said).toContain("passcode must be a string");
    expectNoSecrets(said, { passcode: "canary-in-a-list" });
  });
});
