// @module-tag slow

import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { SendMailOptions } from "nodemailer";
import { expect, onTestFinished, test } from "vitest";
import { apiClientFor, sandboxFor } from "../../../test/api-client.js";
import { inboxOf, messageList, messagesOf, send } from "../../../test/mail.js";

test("messages are listed newest first and expire with their inbox", async () => {
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
  for (const message of messageList.parse(messages)) {
    expect((await call("GET", `/tempmail/messages/${message.id}`)).error?.code).toBe("RESOURCE_NOT_FOUND");
  }
  expect(await sandbox.sendMail({ to: address, subject: "late" })).toBe(0);
});

test("a mail with a hundred thousand links keeps them all", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { id, address } = await inboxOf(call);
  const links = Array.from({ length: 100_000 }, (_, at) => `https://a.example/${at}`);
  expect(await sandbox.sendMail({ to: address, text: links.join("\n") })).toBe(1);
  const [message] = messageList.parse(await messagesOf(call, id));
  const { parsed_links } = Object((await call("GET", `/tempmail/messages/${message?.id}`)).data);
  expect(parsed_links).toEqual(links);
});

test("SPF and DKIM are checked against the tenant's zone", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  const call = apiClientFor(sandbox);
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const key = publicKey.export({ type: "spki", format: "der" }).toString("base64");
  const dkim = { domainName: "shop.example", keySelector: "s1", privateKey: pem };
  const verdicts = async (mail: SendMailOptions) => {
    const { id, address } = await inboxOf(call);
    await send(sandbox, { to: address, from: "a@shop.example", text: "Hello", dkim, ...mail });
    const [message] = messageList.parse(await messagesOf(call, id));
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
  expect(bodies[0]).not.toHaveProperty("raw");
});

test("control accepts mail over HTTP", async () => {
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
