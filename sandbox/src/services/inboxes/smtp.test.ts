// @module-tag slow

import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { apiClientFor, eventually, sandboxFor } from "../../../test/api-client.js";
import { inboxOf, messageList, messagesOf, send } from "../../../test/mail.js";
import { type Sandbox, startSandbox } from "../../sandbox.js";

test("a mail over SMTP becomes a message with every field of the specification", async () => {
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
  const [message] = messageList.parse(summaries);
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

test("mail for an unknown address is rejected, and nothing is relayed", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  await expect(send(sandbox, { from: "a@example.com", to: "nobody@tempmail.test" })).rejects.toThrow(
    /550 No inbox/,
  );
  await expect(send(sandbox, { from: "a@example.com", to: "someone@example.com" })).rejects.toThrow(/550/);
});

test("a mail over the size limit is rejected", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  const { id, address } = await inboxOf(apiClientFor(sandbox));
  const large = { from: "a@example.com", to: address, text: `${"x".repeat(70)}\n`.repeat(160_000) };
  await expect(send(sandbox, large)).rejects.toThrow(/55\d/);
  expect(await messagesOf(apiClientFor(sandbox), id)).toEqual([]);
});

test("an unparsable mail is rejected permanently and is no internal error", async () => {
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

test("closing completes the mail in transfer and disconnects idle clients", async () => {
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
