import type { SandboxOptions } from "cloudservices-sandbox";
import { CloudServices } from "cloudservices-sdk";
import {
  estimateCostOutput,
  getBackupSchedule,
  getDatabaseOutput,
  getDatabases,
  getInboxes,
  getIpInfo,
  getLink,
  getLinkAnalytics,
  getLinkQrCodeOutput,
  getLinks,
  getMessageOutput,
  getMessages,
  getMessagesOutput,
  getVpsInstance,
  getVpsInstanceOutput,
  getVpsInstances,
  getWebhooks,
  Inbox,
  Link,
  lookupDns,
  VpsInstance,
  waitForMessage,
  waitForMessageOutput,
} from "pulumi-cloudservices";
import { describe, expect, it } from "vitest";
import { modes } from "../support/modes.js";
import { until } from "../support/processes.js";
import { openProject } from "../support/project.js";
import { expectNoSecrets } from "../support/secrets.js";
import { failureOf } from "../support/stack.js";
import { openSandbox, openTestStack, takeRequests } from "../support/test-stack.js";

const code = "90418822";

/** An inbox with a mail that holds a one-time code. */
async function inboxWithCode(service: SandboxOptions = {}) {
  const sandbox = await openSandbox(service);
  const [inbox] = await sandbox.seed([{ kind: "Inbox", fields: { prefix: "signup" } }]);
  const inboxId = inbox?.id ?? "";
  const to = String(inbox?.fields["email_address"]);
  const send = (text: string) => sandbox.sendMail({ to, subject: "Your code", text });
  await send(`Your code is ${code}.`);
  return { sandbox, inboxId, send };
}

describe.each(modes)("functions, in the mode $api", ({ service, mode }) => {
  const options = { service, config: mode };

  it("query the stack's service, even about resources of the same run", async () => {
    const { sandbox, stack } = await openTestStack(async () => {
      const link = new Link("docs", { url: "https://example.com/docs" });
      const web = new VpsInstance("web", { plan: "vps-micro-1", region: "eu-central-1", image: "debian-12" });
      const [ip, dns, links] = await Promise.all([
        getIpInfo({ ip: "203.0.113.9" }),
        lookupDns({ name: "example.test", type: "A" }),
        getLinks(),
      ]);
      return {
        ip,
        dns,
        links: links.map(({ slug }) => slug),
        clicks: link.id.apply((linkId) => getLinkAnalytics({ linkId, timeframe: "30d" })).totalClicks,
        qr: getLinkQrCodeOutput({ linkId: link.id, size: 64 }),
        cost: estimateCostOutput({ vps: [{ plan: web.plan, count: 2 }] }).monthlyUsd,
      };
    }, options);
    sandbox.setZone([{ name: "example.test", type: "A", data: "203.0.113.9", ttl: 60 }]);
    await sandbox.seed([{ kind: "Link", fields: { url: "https://example.com/", slug: "seeded" } }]);

    await stack.preview();
    const asked = takeRequests(sandbox);
    expect(asked.every((request) => request.startsWith("GET "))).toBe(true);

    const { outputs } = await stack.up();
    expect(outputs["ip"]?.value).toMatchObject({ ip: "203.0.113.9", type: "ipv4" });
    expect(outputs["dns"]?.value).toMatchObject({ answers: [{ data: "203.0.113.9", ttl: 60 }] });
    expect(outputs["links"]?.value).toEqual(["seeded"]);
    expect(outputs["clicks"]?.value).toBe(0);
    expect(outputs["qr"]?.value).toMatch(/^(<\?xml.*\?>)?\s*<svg/);
    expect(outputs["cost"]?.value).toBe(8);
  });

  it("keep one-time codes and mail secret", async () => {
    const { sandbox, inboxId } = await inboxWithCode(service);
    const { stack } = await openTestStack(
      async () => {
        const [newest] = await getMessages({ inboxId });
        const detail = getMessageOutput({ messageId: newest?.id ?? "" });
        const listed = getMessagesOutput({ inboxId });
        return { code: detail.otpCode, body: detail.textBody, all: listed };
      },
      { sandbox, config: mode },
    );
    const { outputs, stdout, stderr } = await stack.up();
    expect(outputs["code"]).toEqual({ secret: true, value: code });
    expect(outputs["body"]).toMatchObject({ secret: true, value: expect.stringContaining(code) });
    expect(outputs["all"]).toMatchObject({ secret: true });
    expectNoSecrets(stdout + stderr + (await stack.export()).text, { code });
  });
});

describe("lookups of what the program does not manage", () => {
  const region = "eu-central-1";
  const server = (name: string) => ({
    kind: "VpsInstance" as const,
    fields: { name, plan: "vps-micro-1", region, image: "debian-12" },
  });

  it("find one by its name, list every kind, and keep addresses of databases secret", async () => {
    const sandbox = await openSandbox();
    const seeded = await sandbox.seed([
      {
        kind: "Database",
        fields: { name: "orders", engine: "postgresql", version: "16", plan: "db-starter-1", region },
      },
      ...["web", "twin", "twin"].map(server),
      { kind: "Link", fields: { url: "https://example.com/", slug: "docs" } },
      { kind: "Inbox", fields: { prefix: "signup" } },
      {
        kind: "Webhook",
        fields: { url: "https://example.com/hook", events: ["database.backup.failed"], secret: "a-secret" },
      },
    ]);
    const databaseId = seeded.find(({ kind }) => kind === "Database")?.id ?? "";
    const client = new CloudServices({ apiKey: sandbox.apiKey, baseUrl: sandbox.baseUrl });
    await client.databases.setBackupSchedule(databaseId, {
      frequency: "daily",
      hourUtc: 3,
      retentionDays: 7,
    });
    const code = (error: unknown) => /\[(\w+)\]/.exec(String(error))?.[1];
    const { stack } = await openTestStack(
      async () => {
        const web = await getVpsInstance({ name: "web" });
        const orders = getDatabaseOutput({ name: "orders" });
        const listed = await getDatabases();
        return {
          link: (await getLink({ slug: "docs" })).id,
          web: web.id,
          region: getVpsInstanceOutput({ name: web.name ?? "" }).region,
          uri: orders.connectionUri,
          schedule: await getBackupSchedule({ databaseId }),
          names: listed.map(({ name }) => name),
          fields: listed.flatMap((item) => Object.keys(item)),
          counts: [getVpsInstances(), getVpsInstances({ limit: 2 }), getInboxes(), getWebhooks()].map(
            async (list) => (await list).length,
          ),
          refused: [getVpsInstance({ name: "twin" }), getVpsInstance({ name: "wep" })].map((lookup) =>
            lookup.then(() => "found", code),
          ),
        };
      },
      { sandbox },
    );
    const { outputs, stdout, stderr } = await stack.up();
    const values = Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
    const idOf = (kind: string) => sandbox.resources().find((resource) => resource.kind === kind)?.id;
    expect(values).toMatchObject({
      link: idOf("Link"),
      web: idOf("VpsInstance"),
      region,
      schedule: { frequency: "daily", hourUtc: 3, retentionDays: 7 },
      names: ["orders"],
      counts: [3, 2, 1, 1],
      refused: ["LOOKUP_AMBIGUOUS", "LOOKUP_NOT_FOUND"],
    });
    expect(values["fields"]).not.toContain("connectionUri");
    expect(outputs["uri"]).toMatchObject({ secret: true, value: expect.stringMatching(/^postgres/) });
    expectNoSecrets(stdout + stderr + (await stack.export()).text, { uri: String(values["uri"]) });
  });

  it("fail with a code where the specification shows no request", async () => {
    const { sandbox, stack } = await openTestStack(async () => void (await getDatabases()), {
      config: { "cloudservices:api": "documented" },
    });
    expect(await failureOf(stack.preview())).toMatch(/getDatabases: .*\[LOOKUP_UNSUPPORTED\]/);
    expect(takeRequests(sandbox)).toEqual([]);
  });
});

describe("waiting for mail", () => {
  it("returns at once in a preview, and otherwise returns only mail that arrives after its start", async () => {
    const { sandbox, inboxId, send } = await inboxWithCode();
    const previewed: unknown[] = [];
    const { stack } = await openTestStack(
      async () => {
        const inbox = new Inbox("other", {});
        previewed.push(
          await waitForMessage({ inboxId: "of-no-interest-in-a-preview", timeout: "1ms" }).catch(String),
        );
        const waited = waitForMessageOutput({ inboxId, subject: "CODE", timeout: "60s" });
        return { code: waited.otpCode, inbox: inbox.id };
      },
      { sandbox },
    );
    await stack.preview();
    expect(takeRequests(sandbox)).toEqual([]);
    expect(previewed).toEqual([undefined]);

    const isLook = ({ path }: { path: string }) => path === `/tempmail/inboxes/${inboxId}/messages`;
    const up = stack.up();
    await until(() => sandbox.journal().some(isLook), "the first look");
    await send("Your code is 55512399.");
    expect((await up).outputs["code"]).toEqual({ secret: true, value: "55512399" });
  });

  it("fails at its timeout with advice", async () => {
    const { sandbox, inboxId } = await inboxWithCode();
    const { stack } = await openTestStack(
      async () => ({ code: waitForMessageOutput({ inboxId, timeout: "200ms" }).otpCode }),
      { sandbox },
    );
    expect(await failureOf(stack.up())).toMatch(/waitForMessage: inbox \w+ has no new message after 200 ms/);
  });
});

describe("a function that fails in a program on disk", () => {
  it("prints one line, without a stack trace or the API key", async () => {
    const sandbox = await openSandbox();
    const source = `const { getMessage } = require("pulumi-cloudservices");
module.exports = async () => ({ text: (await getMessage({ messageId: "msg_gone" })).textBody });\n`;
    const apiKey = "sandbox_canary-of-the-key";
    const config = { "cloudservices:baseUrl": sandbox.baseUrl, "cloudservices:apiKey": { secret: apiKey } };
    const project = await openProject({ files: { "index.js": source }, config });
    const ended = await project.pulumi(["up", "--yes", "--skip-preview"]);
    const said = ended.stdout + ended.stderr;
    expect(ended.code).not.toBe(0);
    expect(said).toMatch(/error: getMessage: .*msg_gone/);
    expect(said).not.toMatch(/^\s+at .+:\d+:\d+\)?$/m);
    expectNoSecrets(said, { apiKey });
  });
});
