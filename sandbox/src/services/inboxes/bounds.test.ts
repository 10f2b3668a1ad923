// @module-tag slow

import { once } from "node:events";
import { connect } from "node:net";
import { createTransport } from "nodemailer";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { apiClientFor, eventually, sandboxFor } from "../../../test/api-client.js";
import { temporaryFolder } from "../../../test/folder.js";
import { type Sandbox, startSandbox } from "../../sandbox.js";
import { hasRoom, MAX_CHARACTERS, MAX_MESSAGES } from "./capacity.js";

const inbox = z.object({ inbox_id: z.string(), email_address: z.string() });

async function makeInbox(sandbox: Sandbox) {
  return inbox.parse((await apiClientFor(sandbox)("POST", "/tempmail/inboxes", {})).data);
}

async function subjects(sandbox: Sandbox, id: string): Promise<string[]> {
  const { data } = await apiClientFor(sandbox)("GET", `/tempmail/inboxes/${id}/messages`);
  return z
    .array(z.object({ subject: z.string() }))
    .parse(data)
    .map(({ subject }) => subject);
}

function sender(sandbox: Sandbox) {
  const { host = "", port = 0 } = sandbox.smtp ?? {};
  const transport = createTransport({ host, port, ignoreTLS: true });
  onTestFinished(() => transport.close());
  return (mail: { to: string; subject: string; text: string }) =>
    transport.sendMail({ from: "a@example.com", ...mail });
}

/** A client that does not announce the size of its mail and just sends it. */
async function sendUnannounced(sandbox: Sandbox, to: string, bytes: number): Promise<string> {
  const socket = connect(sandbox.smtp?.port ?? 0, sandbox.smtp?.host ?? "");
  onTestFinished(() => void socket.destroy());
  let heard = "";
  socket.setEncoding("utf8").on("data", (part: string) => {
    heard += part;
  });
  const say = async (line: string, answer: string) => {
    socket.write(`${line}\r\n`);
    await eventually(() => heard).toMatch(new RegExp(`^${answer}`, "m"));
  };
  await eventually(() => heard).toMatch(/^220 /m);
  await say("EHLO example.com", "250 ");
  await say("MAIL FROM:<a@example.com>", "250 Accepted");
  await say(`RCPT TO:<${to}>`, "250 Accepted");
  await say("DATA", "354 ");
  const line = Buffer.from(`${"x".repeat(998)}\r\n`);
  for (let sent = 0; sent < bytes; sent += line.length) {
    if (!socket.write(line)) await once(socket, "drain");
  }
  heard = "";
  await say("\r\n.", "[245]\\d\\d ");
  return heard;
}

test("a mail of 20 MB is refused, announced or not, and harms nothing that was acknowledged", async () => {
  const data = await temporaryFolder();
  const sandbox = await sandboxFor({ data, smtpPort: 0 });
  const { inbox_id, email_address: to } = await makeInbox(sandbox);
  const send = sender(sandbox);
  await send({ to, subject: "before", text: "Hello" });
  const text = `${"x".repeat(70)}\n`.repeat(20_000_000 / 71);
  await expect(send({ to, subject: "large", text })).rejects.toThrow(/55\d/);
  expect(await sendUnannounced(sandbox, to, 20_000_000)).toMatch(/^552 A mail may have at most/m);
  await expect(sandbox.sendMail({ to, subject: "large", text })).rejects.toThrow(/the maximum is/);
  await send({ to, subject: "after", text: "Hello" });
  await sandbox.close();
  const again = await startSandbox({ data });
  onTestFinished(() => again.close());
  expect((await subjects(again, inbox_id)).sort()).toEqual(["after", "before"]);
});

test("a full inbox refuses mail for now, and keeps what it has", { timeout: 120_000 }, async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  const [full, other] = [await makeInbox(sandbox), await makeInbox(sandbox)];
  for (let at = 0; at < MAX_MESSAGES; at++)
    await sandbox.sendMail({ to: full.email_address, subject: `mail ${at}`, text: "Hello" });
  const mail = { to: full.email_address, subject: "one too many", text: "Hello" };
  await expect(sender(sandbox)(mail)).rejects.toThrow(/452 The inbox is full/);
  await expect(sandbox.sendMail(mail)).rejects.toThrow(/is full: it holds at most 1000 messages/);
  const response = await fetch(`${sandbox.url}/_sandbox/mail`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(mail),
  });
  expect(response.status).toBe(409);
  const both = [full.email_address, other.email_address];
  expect(await sandbox.sendMail({ ...mail, to: both }), "where another inbox has room").toBe(1);
  expect(sandbox.resources().find(({ id }) => id === full.inbox_id)?.fields["message_count"]).toBe(1_000);
});

test("an inbox is full by the size of its messages, too", () => {
  const messages = [
    { html_body: "", text_body: "x".repeat(MAX_CHARACTERS - 10), snippet: "", parsed_links: ["abc"] },
  ];
  const find = () => messages;
  const store = { tables: { messages: { find } } };
  expect(hasRoom(store, "inbox", 7)).toBe(true);
  expect(hasRoom(store, "inbox", 8)).toBe(false);
});

test("the fifty-first connection is turned away, and there is room again when one ends", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  const greeting = async () => {
    const socket = connect(sandbox.smtp?.port ?? 0, sandbox.smtp?.host ?? "");
    onTestFinished(() => void socket.destroy());
    const [said] = await once(socket.setEncoding("utf8"), "data");
    return { socket, code: String(said).slice(0, 3) };
  };
  const opened = await Promise.all(Array.from({ length: 50 }, greeting));
  expect(new Set(opened.map(({ code }) => code))).toEqual(new Set(["220"]));
  expect((await greeting()).code).toBe("421");
  opened[0]?.socket.destroy();
  await eventually(async () => (await greeting()).code).toBe("220");
});
