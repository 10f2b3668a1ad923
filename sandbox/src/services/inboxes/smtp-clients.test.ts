// @module-tag slow

import { mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { apiClientFor, sandboxFor } from "../../../test/api-client.js";
import { temporaryFolder } from "../../../test/folder.js";
import { inboxOf, messageList, messagesOf } from "../../../test/mail.js";
import type { Sandbox } from "../../sandbox.js";
import { startSandbox } from "../../sandbox.js";

const auth = { user: "anyone", pass: "any password" };

function transportTo({ smtp }: Sandbox, options: object = {}) {
  const transport = createTransport({ host: smtp?.host ?? "", port: smtp?.port ?? 0, ...options });
  onTestFinished(() => transport.close());
  return transport;
}

async function messageIds(sandbox: Sandbox, inbox: string): Promise<string[]> {
  return messageList.parse(await messagesOf(apiClientFor(sandbox), inbox)).map(({ id }) => id);
}

test("senders with and without TLS and passwords are accepted; TLS can be verified by the root certificate", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0, host: "127.0.0.1", publicHost: "localhost" });
  const { id, address: to } = await inboxOf(apiClientFor(sandbox));
  const ca = await (await fetch(`${sandbox.url}/_sandbox/root.crt`)).text();
  expect(ca).toMatch(/^-----BEGIN CERTIFICATE-----/);
  const mail = { from: "a@example.com", to, text: "Hello" };
  for (const options of [
    {},
    { auth },
    { auth, authMethod: "LOGIN" },
    { requireTLS: true, tls: { ca } },
    { requireTLS: true, auth, tls: { ca } },
  ])
    await transportTo(sandbox, options).sendMail(mail);
  expect(await messageIds(sandbox, id)).toHaveLength(5);
  await expect(transportTo(sandbox, { requireTLS: true }).sendMail(mail)).rejects.toThrow(/self-signed/);
});

test("where the certificate cannot be stored, mail is refused for now, and accepted once it can", async () => {
  const reported = vi.spyOn(console, "error").mockImplementation(() => {});
  onTestFinished(() => reported.mockRestore());
  const data = await temporaryFolder();
  // A folder in the way of the file.
  const inTheWay = join(data, "certificate.pem.unfinished");
  await mkdir(inTheWay);
  const sandbox = await sandboxFor({ smtpPort: 0, data });
  const { id, address: to } = await inboxOf(apiClientFor(sandbox));
  await expect(transportTo(sandbox).sendMail({ from: "a@example.com", to })).rejects.toThrow(/451/);
  await rmdir(inTheWay);
  await transportTo(sandbox).sendMail({ from: "a@example.com", to });
  expect(await messageIds(sandbox, id)).toHaveLength(1);
});

test("an offer of TLS is taken by clients that need not use it", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0, offerStartTls: true });
  const { id, address: to } = await inboxOf(apiClientFor(sandbox));
  const ca = await (await fetch(`${sandbox.url}/_sandbox/root.crt`)).text();
  await transportTo(sandbox, { tls: { ca } }).sendMail({ from: "a@example.com", to });
  await expect(transportTo(sandbox).sendMail({ from: "a@example.com", to })).rejects.toThrow(/self-signed/);
  expect(await messageIds(sandbox, id)).toHaveLength(1);
});

test("a fault of SMTP refuses, drops or delays at its moment, so often as it says", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  const call = apiClientFor(sandbox);
  const [{ id, address: to }, other] = [await inboxOf(call), await inboxOf(call)];
  const send = (recipient = to) =>
    transportTo(sandbox, { auth }).sendMail({ from: "a@example.com", to: recipient });
  for (const [at, code, reason] of [
    ["connect", 421, /421/],
    ["auth", 454, /454/],
    ["from", 451, /451/],
    ["to", 450, /450/],
    ["data", 554, /554/],
  ] as const) {
    sandbox.faults.add({ kind: "smtp", at, code, count: 1 });
    await expect(send(), at).rejects.toThrow(reason);
  }
  for (const at of ["connect", "auth", "from", "to", "data"] as const) {
    sandbox.faults.add({ kind: "smtp", at, do: "drop", count: 1 });
    await expect(send(), at).rejects.toThrow(/closed|ECONN|disconnect/i);
  }
  expect(await messageIds(sandbox, id)).toEqual([]);
  // The mail is there, and its sender does not know it: a retry doubles it.
  sandbox.faults.add({ kind: "smtp", at: "stored", count: 1 });
  await expect(send()).rejects.toThrow(/451/);
  await send();
  expect(await messageIds(sandbox, id)).toHaveLength(2);

  sandbox.faults.clear();
  sandbox.faults.add({ kind: "smtp", at: "to", recipient: other.address.toUpperCase().replace(/@.*/, "@*") });
  await send();
  await expect(send(other.address)).rejects.toThrow(/451/);
  sandbox.faults.clear();
  sandbox.faults.add({ kind: "smtp", at: "data", do: "slow", ms: 300, count: 1 });
  const began = performance.now();
  await send();
  expect(performance.now() - began).toBeGreaterThanOrEqual(290);
  expect(sandbox.faults.list()).toMatchObject([{ struck: 1 }]);
  // Requests to the API are none of its business.
  sandbox.faults.add({ kind: "smtp", at: "connect" });
  expect((await call("GET", "/webhooks")).status).toBe(200);
});

const attachment = z.object({ content: z.string() }).loose();

test("a mail's source and attachments are kept, byte by byte, even beyond a restart", async () => {
  const data = await temporaryFolder();
  const first = await sandboxFor({ smtpPort: 0, data });
  const { id: inbox, address: to } = await inboxOf(apiClientFor(first));
  const bytes = Buffer.from(Array.from({ length: 60_000 }, (_, at) => (at * 7 + (at >> 8)) % 256));
  const latin = Buffer.from("From: a@example.com\r\nSubject: raw\r\n\r\nGr\xfc\xdfe \xff\r\n", "latin1");
  const transport = transportTo(first);
  await transport.sendMail({ envelope: { from: "a@example.com", to }, raw: latin });
  await transport.sendMail({
    ...{ from: "a@example.com", to, text: "See attachments", html: '<img src="cid:logo">' },
    attachments: [
      { filename: "all.bin", content: bytes },
      { filename: "logo.png", content: "png", cid: "logo" },
    ],
  });
  await first.close();
  const sandbox = await startSandbox({ data });
  onTestFinished(() => sandbox.close());
  const [attached = "", plain = ""] = await messageIds(sandbox, inbox);
  expect(Buffer.from(sandbox.rawMessage(plain))).toEqual(latin);
  const raw = await fetch(`${sandbox.url}/_sandbox/messages/${plain}/raw`);
  expect(raw.headers.get("content-type")).toBe("message/rfc822");
  expect(Buffer.from(await raw.arrayBuffer())).toEqual(latin);
  const [logo, file] = await sandbox.attachments(attached);
  expect(file).toMatchObject({ filename: "all.bin", content_type: "application/octet-stream" });
  expect(Buffer.from(file?.content ?? []).equals(bytes)).toBe(true);
  expect(logo).toMatchObject({ filename: "logo.png", content_type: "image/png", content_id: "logo" });
  const listed = await fetch(`${sandbox.url}/_sandbox/messages/${attached}/attachments`);
  const [, shown] = z.array(attachment).parse(await listed.json());
  expect(shown).toMatchObject({
    filename: "all.bin",
    bytes: bytes.length,
    content: bytes.toString("base64"),
  });
  expect(await sandbox.attachments(plain)).toEqual([]);
  for (const path of ["raw", "attachments"])
    expect((await fetch(`${sandbox.url}/_sandbox/messages/msg_none/${path}`)).status).toBe(404);
  const messages = await fetch(`${sandbox.url}/_sandbox/inboxes/${inbox}/messages`);
  expect(await messages.text()).not.toContain('"raw":');
});
