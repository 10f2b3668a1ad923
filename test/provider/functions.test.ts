import type { SandboxOptions } from "cloudservices-sandbox";
import {
  estimateCostOutput,
  getIpInfo,
  getLinkAnalytics,
  getLinkQrCodeOutput,
  getLinks,
  getMessageOutput,
  getMessages,
  getMessagesOutput,
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
