import { createTransport, type SendMailOptions } from "nodemailer";
import { z } from "zod";
import type { Sandbox } from "../src/index.js";
import type { ApiClient } from "./api-client.js";

const inboxSchema = z.object({ inbox_id: z.string(), email_address: z.string() });

/** A list of messages. */
export const messageList = z.array(z.object({ id: z.string() }));

export async function inboxOf(call: ApiClient, body: object = {}): Promise<{ id: string; address: string }> {
  const { inbox_id, email_address } = inboxSchema.parse((await call("POST", "/tempmail/inboxes", body)).data);
  return { id: inbox_id, address: email_address };
}

/** Sends a mail over SMTP. */
export async function send(sandbox: Sandbox, mail: SendMailOptions): Promise<void> {
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

export async function messagesOf(call: ApiClient, inbox: string): Promise<unknown> {
  return (await call("GET", `/tempmail/inboxes/${inbox}/messages`)).data;
}
