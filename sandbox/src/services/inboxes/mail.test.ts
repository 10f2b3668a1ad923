// @module-tag slow

import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import { connect } from "node:net";
import { createTransport, type SendMailOptions } from "nodemailer";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { type ApiClient, apiClientFor, eventually, sandboxFor } from "../../../test/api-client.js";
import { type Sandbox, startSandbox } from "../../sandbox.js";

const inboxSchema = z.object({ inbox_id: z.string(), email_address: z.string() });
const list = z.array(z.object({ id: z.string() }));

async function inboxOf(call: ApiClient, body: object = {}): Promise<{ id: string; address: string }> {
  const { inbox_id, email_address } = inboxSchema.parse((await call("POST", "/tempmail/inboxes", body)).data);
  return { id: inbox_id, address: email_address };
}

/** Sends as any mail program would. */
async function send(sandbox: Sandbox, mail: SendMailOptions): Promise<void> {
  const transport = createTransport({
    host: sandbox.smtp?.host ?? "",
    port: sandbox.smtp?.port ?? 0,
    ignoreTLS: true,
  });
  try {
    await transport.sendMail(mail);
  } finally {
    transport.close();
  }
}

async function messagesOf(call: ApiClient, inbox: string): Promise<unknown> {
  return (await call("GET", `/tempmail/inboxes/${inbox}/messages`)).data;
}

test("a mail sent over SMTP arrives with everything the specification names", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  const call = apiClientFor(sandbox);
  const { id, address } = await inboxOf(call, { prefix: "signup" });
  await send(sandbox, {
    from: "Shop <noreply@shop.example>",
    to: address.toUpperCase(),
    subject: "Grüße: confirm",
    text: "Your code is 482913.\nOr open https://shop.example/confirm?t=1.",
    html: '<p>Your code is <b>482913</b>.</p><a href="https://shop.example/confirm?t=1">Confirm</a>',
    messageId: "<one@shop.example>",
    attachments: [{ filename: "terms.txt", content: "terms" }],
  });
  const summaries = await messagesOf(call, id);
  expect(summaries).toEqual([
    {
      id: expect.stringMatching(/^msg_/),
      sender: "noreply@shop.example",
      subject: "Grüße: confirm",
      snippet: "Your code is 482913. Or open https://shop.example/confirm?t=1.",
      otp_code: "482913",
      received_at: expect.stringMatching(/Z$/),
      has_attachments: true,
    },
  ]);
  const [message] = list.parse(summaries);
  expect((await call("GET", `/tempmail/messages/${message?.id}`)).data).toEqual({
    id: message?.id,
    sender: "noreply@shop.example",
    recipient: address,
    subject: "Grüße: confirm",
    html_body: expect.stringContaining("<b>482913</b>"),
    text_body: "Your code is 482913.\nOr open https://shop.example/confirm?t=1.",
    parsed_links: ["https://shop.example/confirm?t=1"],
    otp_code: "482913",
    headers: expect.objectContaining({ "Message-ID": "<one@shop.example>", SPF: "none", DKIM: "none" }),
  });
  expect((await call("GET", `/tempmail/inboxes/${id}`)).data).toMatchObject({ message_count: 1 });
  expect(
    (await apiClientFor(sandbox, "sandbox_other")("GET", `/tempmail/messages/${message?.id}`)).status,
  ).toBe(404);
});

test("the newest message comes first, and all go with their inbox", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { id, address } = await inboxOf(call, { ttl_minutes: 1 });
  for (const subject of ["one", "two", "three"]) {
    expect(
      await sandbox.sendMail({ to: address, from: "A <a@example.com>", subject, html: "<p>Only HTML</p>" }),
    ).toBe(1);
  }
  const messages = await messagesOf(call, id);
  expect(messages).toMatchObject([
    { subject: "three", snippet: "Only HTML" },
    { subject: "two" },
    { subject: "one" },
  ]);
  await sandbox.clock.advance(60_000);
  for (const message of list.parse(messages)) {
    expect((await call("GET", `/tempmail/messages/${message.id}`)).error?.code).toBe("RESOURCE_NOT_FOUND");
  }
  expect(await sandbox.sendMail({ to: address, subject: "late" })).toBe(0);
});

test("mail for an address that is no inbox is refused, and nothing is relayed", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  await expect(send(sandbox, { from: "a@example.com", to: "nobody@tempmail.test" })).rejects.toThrow(
    /550 No inbox/,
  );
  await expect(send(sandbox, { from: "a@example.com", to: "someone@example.com" })).rejects.toThrow(/550/);
});

test("a mail that is too large is refused", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  const { id, address } = await inboxOf(apiClientFor(sandbox));
  const large = { from: "a@example.com", to: address, text: `${"x".repeat(70)}\n`.repeat(160_000) };
  await expect(send(sandbox, large)).rejects.toThrow(/55\d/);
  expect(await messagesOf(apiClientFor(sandbox), id)).toEqual([]);
});

test("an ordinary mail of a hundred thousand links arrives with all of them", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { id, address } = await inboxOf(call);
  const links = Array.from({ length: 100_000 }, (_, at) => `https://a.example/${at}`);
  expect(await sandbox.sendMail({ to: address, text: links.join("\n") })).toBe(1);
  const [message] = list.parse(await messagesOf(call, id));
  const { parsed_links } = Object((await call("GET", `/tempmail/messages/${message?.id}`)).data);
  expect(parsed_links).toEqual(links);
});

test("a mail that cannot be read is refused for good, and is no failure of the sandbox", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  const { address } = await inboxOf(apiClientFor(sandbox));
  const reported = vi.spyOn(console, "error");
  onTestFinished(() => reported.mockRestore());
  const envelope = { from: "a@example.com", to: address };
  const levels = Array.from(
    { length: 300 },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  );
  for (const [raw, reason] of [
    [`${levels.join("")}\r\ndeep`, /554.*cannot be parsed.*depth/],
    [`X-Big: ${"a".repeat(3_000_000)}\r\n\r\nx`, /554.*cannot be parsed.*header/],
    // Which a check of DKIM would take many minutes for.
    [`Subject: a${"\r\n b".repeat(400_000)}\r\n\r\nx`, /554.*cannot be parsed.*header/],
  ] as const)
    await expect(send(sandbox, { envelope, raw })).rejects.toThrow(reason);
  expect(reported).not.toHaveBeenCalled();
  const { status } = await fetch(`${sandbox.url}/_sandbox/mail`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ to: address, headers: { "X-Big": "a".repeat(200_000) } }),
  });
  expect(status).toBe(400);
});

test("closing answers the mail that is under way, and waits for nobody who says nothing", async () => {
  const sandbox = await startSandbox({ smtpPort: 0 });
  const { address } = await inboxOf(apiClientFor(sandbox));
  const began = performance.now();
  const silent = await smtpClient(sandbox);
  const sender = await smtpClient(sandbox);
  for (const line of ["EHLO me", "MAIL FROM:<a@example.com>", `RCPT TO:<${address}>`])
    await sender.say(line, "250 ");
  await sender.say("DATA", "354 ");
  const closed = sandbox.close();
  await silent.heard("421 ");
  await sender.say("Subject: last\r\n\r\nHello\r\n.", "250 ");
  await closed;
  expect(performance.now() - began).toBeLessThan(20_000);
});

/** Speaks SMTP line by line. */
async function smtpClient(sandbox: Sandbox) {
  const { host = "", port = 0 } = sandbox.smtp ?? {};
  const socket = connect(port, host);
  onTestFinished(() => void socket.destroy());
  let all = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    all += part;
  });
  const heard = (wanted: string) => eventually(() => all).toMatch(new RegExp(`^${wanted}`, "m"));
  await heard("220 ");
  return {
    heard,
    async say(line: string, wanted: string) {
      all = "";
      socket.write(`${line}\r\n`);
      await heard(wanted);
    },
  };
}

test("SPF and DKIM are checked for real, against the zone of the tenant", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  const call = apiClientFor(sandbox);
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const key = publicKey.export({ type: "spki", format: "der" }).toString("base64");
  const dkim = { domainName: "shop.example", keySelector: "s1", privateKey: pem };
  const verdicts = async (mail: SendMailOptions) => {
    const { id, address } = await inboxOf(call);
    await send(sandbox, { to: address, from: "a@shop.example", text: "Hello", dkim, ...mail });
    const [message] = list.parse(await messagesOf(call, id));
    const { SPF, DKIM } = Object((await call("GET", `/tempmail/messages/${message?.id}`)).data).headers;
    return { SPF, DKIM };
  };
  sandbox.setZone([
    { name: "shop.example", type: "TXT", data: "v=spf1 ip4:127.0.0.1 -all" },
    { name: "s1._domainkey.shop.example", type: "TXT", data: `v=DKIM1; k=rsa; p=${key}` },
    { name: "strict.example", type: "TXT", data: "v=spf1 ip4:192.0.2.1 -all" },
  ]);
  expect(await verdicts({})).toEqual({ SPF: "pass", DKIM: "pass" });
  expect(await verdicts({ from: "a@strict.example" })).toMatchObject({ SPF: "fail" });
  const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
    type: "pkcs8",
    format: "pem",
  });
  expect(await verdicts({ dkim: { ...dkim, privateKey: other.toString() } })).toMatchObject({ DKIM: "fail" });
});

test("a mail is pushed to the inbox's webhook", async () => {
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += String(part);
    bodies.push(JSON.parse(body));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const webhook_url = `http://127.0.0.1:${Object(server.address()).port}/mail`;
  const { id, address } = await inboxOf(call, { webhook_url });
  await sandbox.sendMail({ to: address, subject: "Hello", text: "Your code is 1234" });
  await sandbox.idle();
  expect(bodies).toMatchObject([{ inbox_id: id, recipient: address, subject: "Hello", otp_code: "1234" }]);
  expect(bodies[0]).not.toHaveProperty("tenant");
});

test("mail over HTTP control", async () => {
  const sandbox = await sandboxFor();
  const { address } = await inboxOf(apiClientFor(sandbox));
  const post = async (body: object) =>
    fetch(`${sandbox.url}/_sandbox/mail`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect(await (await post({ to: address, subject: "Hi" })).json()).toEqual({ received: 1 });
  expect((await post({ to: address, attachments: [{ path: "/etc/passwd" }] })).status).toBe(400);
});
