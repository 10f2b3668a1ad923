import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { summaryOf, type TestStack, testStack } from "pulumi-cloudservices/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const webhookSecret = "the secret of this test";
const qrCode = join(__dirname, "qr-code.dev.svg");
const aDay = 24 * 60 * 60 * 1000;

let receiver: Receiver;
let app: TestStack;
beforeAll(async () => {
  rmSync(qrCode, { force: true });
  receiver = await startReceiver();
  app = await testStack(__dirname, {
    name: "dev",
    config: { receiver: receiver.url, webhookSecret: { secret: webhookSecret } },
  });
}, 120_000);
afterAll(async () => {
  await app?.close();
  receiver?.process.kill();
});

test("dev: up creates the app, with its secrets encrypted, and a second up changes nothing", async () => {
  const { summary, outputs, stdout } = await app.up();
  expect(summary).toEqual({ create: 6 }); // five resources and the component around them
  expect(outputs["shortUrl"]?.value).toBe(`https://${outputs["linkDomain"]?.value}/start`);
  expect(existsSync(qrCode)).toBe(true);

  const databaseUri: string = outputs["databaseUri"]?.value;
  const server = app.sandbox.resources().find(({ kind }) => kind === "VpsInstance");
  expect(server?.fields["user_data"]).toContain(`DATABASE_URL="${databaseUri}"\n`);
  for (const secret of [webhookSecret, new URL(databaseUri).password]) {
    expect(await app.state()).not.toContain(secret);
    expect(stdout).not.toContain(secret);
  }

  expect((await app.up()).summary).toEqual({ same: 6 });
}, 120_000);

test("the receiver accepts the notification of the nightly backup, and rejects a forged one", async () => {
  await app.sandbox.clock.advance(aDay);
  await expect
    .poll(() => receiver.printed, { timeout: 20_000 })
    .toContainEqual(expect.stringMatching(/^received database\.backup\.completed shop-data-\w+$/));
  await expect
    .poll(() => app.sandbox.deliveries(), { timeout: 20_000 })
    .toMatchObject([{ status: "delivered" }]);

  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
    "webhook-signature": "v1,Zm9yZ2Vk",
  };
  const forged = await fetch(receiver.url, { method: "POST", headers, body: "{}" });
  expect(forged.status).toBe(400);
}, 60_000);

test("web-app-campaign: reads the app's outputs through a StackReference", async () => {
  const campaign = await testStack(join(__dirname, "../web-app-campaign"), { name: "dev", shareWith: app });
  try {
    const { outputs } = await campaign.up();
    const { linkDomain } = await app.outputs();
    expect(outputs["shortUrl"]?.value).toBe(`https://${linkDomain?.value}/spring`);
  } finally {
    await campaign.close();
  }
}, 60_000);

test("prod: on its own domain, and protected", async () => {
  const { sandbox } = app;
  const prod = await testStack(__dirname, {
    name: "prod",
    sandbox,
    config: { webhookSecret: { secret: webhookSecret } },
  });
  try {
    const events: EngineEvent[] = [];
    await prod.stack.preview({ onEvent: (event) => events.push(event) });
    expect(summaryOf(events)).toEqual({ create: 6 });

    const resources = events
      .flatMap(({ resourcePreEvent }) => resourcePreEvent?.metadata.new ?? [])
      .filter(({ type }) => type.includes("cloudservices"));
    expect(resources.map(({ protect }) => protect)).toEqual([true, true, true, true, true]);
    const link = resources.find(({ type }) => type.endsWith(":Link"));
    expect(link?.inputs["domain"]).toMatch(/^go\./);
    expect(link?.inputs["domain"]).not.toBe((await app.outputs())["linkDomain"]?.value);
    expect(JSON.stringify(events)).not.toContain(webhookSecret);
  } finally {
    await prod.close();
  }
}, 60_000);

interface Receiver {
  readonly process: ChildProcessByStdio<null, Readable, null>;
  readonly url: string;
  /** The lines it has printed. */
  readonly printed: readonly string[];
}

/** Starts the receiver on a free port, as on the server. */
async function startReceiver(): Promise<Receiver> {
  const receiver = spawn(process.execPath, [join(__dirname, "receiver.mjs")], {
    env: { ...process.env, WEBHOOK_SECRET: webhookSecret, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const printed: string[] = [];
  const lines = createInterface({ input: receiver.stdout }).on("line", (line) => printed.push(line));
  await once(lines, "line");
  return { process: receiver, url: printed[0]?.replace("listening on ", "") ?? "", printed };
}
