import * as pulumi from "@pulumi/pulumi";
import type { Message, MessageCursor, MessageSummary } from "cloudservices-sdk";
import type * as mail from "../functions/mail.js";
import { functions } from "../generated/signatures.js";
import { type Inputs, query } from "./query.js";

export type {
  GetMessageArgs,
  GetMessagesArgs,
  ReceivedMessage,
  WaitForMessageArgs,
} from "../functions/mail.js";
export type { Message, MessageCursor, MessageSummary };

const messages = query(functions.getMessages, async () => (await import("../functions/mail.js")).getMessages);

/**
 * Returns the messages of an inbox, with their one-time codes. The promise resolves to plain values: wrap in
 * `pulumi.secret` what you pass to a resource or a stack output. Specification: "Message summary".
 */
export function getMessages(args: mail.GetMessagesArgs): Promise<MessageSummary[]> {
  return messages.promise(args);
}

/** Like {@link getMessages}, for outputs. The whole result is secret. */
export function getMessagesOutput(args: Inputs<mail.GetMessagesArgs>): pulumi.Output<MessageSummary[]> {
  return messages.output(args);
}

const message = query(functions.getMessage, async () => (await import("../functions/mail.js")).getMessage);

/**
 * Returns a message with its text, links and one-time code. The promise resolves to plain values: wrap in
 * `pulumi.secret` what you pass to a resource or a stack output. Specification: "Message detail".
 */
export function getMessage(args: mail.GetMessageArgs): Promise<Message> {
  return message.promise(args);
}

/** Like {@link getMessage}, for outputs. The whole result is secret. */
export function getMessageOutput(args: Inputs<mail.GetMessageArgs>): pulumi.Output<Message> {
  return message.output(args);
}

const newMessage = query(
  functions.waitForMessage,
  async () => (await import("../functions/mail.js")).waitForMessage,
);

/**
 * Waits for a new message and returns it with its one-time code and links. A preview sends no request and returns
 * `undefined` at once. The promise resolves to plain values: wrap in `pulumi.secret` what you pass to a resource or a
 * stack output.
 *
 * @example
 * ```ts
 * const code = waitForMessageOutput({ inboxId: inbox.id, subject: "code" }).otpCode; // a secret
 * ```
 */
export function waitForMessage(args: mail.WaitForMessageArgs): Promise<mail.ReceivedMessage | undefined> {
  return newMessage.promise(args);
}

/**
 * Like {@link waitForMessage}, for outputs. The whole result is secret, and unknown in a preview. The wait begins when
 * the arguments are known: if they depend on what sends the mail, set `since`.
 */
export function waitForMessageOutput(
  args: Inputs<mail.WaitForMessageArgs>,
): pulumi.Output<mail.ReceivedMessage> {
  return newMessage.output(args).apply((received) => received ?? notYetKnown<mail.ReceivedMessage>());
}

/** Returns the engine's unknown value, which stands for any type. */
const notYetKnown = <T>(): T => pulumi.unknown as T;
