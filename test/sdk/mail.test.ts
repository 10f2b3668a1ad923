import { NotFoundError } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { errorOf } from "../support/failure.js";
import { openClient } from "./client.js";

const { sandbox, client } = await openClient();

const mailTo = (to: string | undefined, subject: string, text: string) =>
  sandbox.sendMail({ to: to ?? "", from: "Shop <no-reply@shop.example>", subject, text });

describe("mail", () => {
  it("mail.createInbox: creates an inbox with an address and an expiry", async () => {
    const inbox = await client.mail.createInbox({ prefix: "signup", ttlMinutes: 10 });
    expect(inbox).toMatchObject({
      ttlMinutes: 10,
      messageCount: 0,
      emailAddress: expect.stringMatching(/^signup.*@/),
    });
    expect(await client.mail.createInbox()).toMatchObject({ ttlMinutes: 60 });
  });

  it("mail.getInbox: reads an inbox by its id", async () => {
    const inbox = await client.mail.createInbox();
    expect(await client.mail.getInbox(inbox.inboxId)).toMatchObject({ emailAddress: inbox.emailAddress });
  });

  it("mail.listInboxes: lists all inboxes", async () => {
    const { inboxId } = await client.mail.createInbox();
    const all = await client.mail.listInboxes({ limit: 1 }).toArray();
    expect(all.map((inbox) => inbox.inboxId)).toContain(inboxId);
  });

  it("mail.deleteInbox: deletes an inbox", async () => {
    const { inboxId } = await client.mail.createInbox();
    await client.mail.deleteInbox(inboxId);
    await errorOf(client.mail.getInbox(inboxId), NotFoundError);
  });

  it("mail.listMessages: lists messages with their codes", async () => {
    const inbox = await client.mail.createInbox();
    await mailTo(inbox.emailAddress, "Your code", "Your verification code is 482913.");
    const [message] = await client.mail.listMessages(inbox.inboxId);
    expect(message).toMatchObject({ subject: "Your code", otpCode: "482913", hasAttachments: false });
    expect(message?.sender).toContain("no-reply@shop.example");
  });

  it("mail.getMessage: reads a whole message, with its headers under their own names", async () => {
    const inbox = await client.mail.createInbox();
    await mailTo(inbox.emailAddress, "Welcome", "Confirm: https://shop.example/confirm?t=1");
    const [summary] = await client.mail.listMessages(inbox.inboxId);
    const message = await client.mail.getMessage(summary?.id ?? "");
    expect(message).toMatchObject({
      recipient: inbox.emailAddress,
      parsedLinks: ["https://shop.example/confirm?t=1"],
    });
    expect(Object.keys(message.headers ?? {})).toEqual(expect.arrayContaining(["Message-ID", "SPF", "DKIM"]));
  });
});

describe("waiting for mail", () => {
  it("returns message, code and links of a new message, never of an old one", async () => {
    const inbox = await client.mail.createInbox();
    await mailTo(inbox.emailAddress, "Your code", "Your verification code is 111111.");
    const since = await client.mail.cursor(inbox.inboxId);
    await mailTo(inbox.emailAddress, "Newsletter", "Nothing to see.");
    await mailTo(
      inbox.emailAddress,
      "Your code",
      "Your verification code is 222222. https://shop.example/go",
    );
    const found = await client.mail.waitForMessage(inbox.inboxId, {
      subject: /code/i,
      from: "shop.example",
      since,
    });
    expect(found).toMatchObject({ otpCode: "222222", links: ["https://shop.example/go"] });
    expect(found.message.subject).toBe("Your code");
  });
});
