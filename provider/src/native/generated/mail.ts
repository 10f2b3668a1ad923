// Made from ../../calls/mail.ts by tools/write-native.mjs, which npm run build runs. Not edited by hand.
import * as pulumi from "@pulumi/pulumi";
import type { Message, MessageCursor, MessageSummary } from "cloudservices-sdk";
import type * as mail from "../../functions/mail.js";
import { functions } from "../../generated/signatures.js";
import { type Inputs, query } from "../native-query.js";

export type {
  GetMessageArgs,
  GetMessagesArgs,
  ReceivedMessage,
  WaitForMessageArgs,
} from "../../functions/mail.js";
export type { Message, MessageCursor, MessageSummary };

const messages = query(functions.getMessages, async () => (await import("../../functions/mail.js")).getMessages);

/**
 * Returns the messages of an inbox, with their one-time codes. The promise resolves to plain values: wrap in
 * `pulumi.secret` what you pass to a resource or a stack output. Specification: "Message summary".
 */
export function getMessages(args: mail.GetMessagesArgs, opts?: pulumi.InvokeOptions): Promise<MessageSummary[]> {
  return messages.promise(args, opts);
}

/** Like {@link getMessages}, for outputs. The whole result is secret. */
export function getMessagesOutput(args: Inputs<mail.GetMessagesArgs>, opts?: pulumi.InvokeOptions): pulumi.Output<MessageSummary[]> {
  return messages.output(args, opts);
}

const message = query(functions.getMessage, async () => (await import("../../functions/mail.js")).getMessage);

/**
 * Returns a message with its text, links and one-time code. The promise resolves to plain values: wrap in
 * `pulumi.secret` what you pass to a resource or a stack output. Specification: "Message detail".
 */
export function getMessage(args: mail.GetMessageArgs, opts?: pulumi.InvokeOptions): Promise<Message> {
  return message.promise(args, opts);
}

/** Like {@link getMessage}, for outputs. The whole result is secret. */
export function getMessageOutput(args: Inputs<mail.GetMessageArgs>, opts?: pulumi.InvokeOptions): pulumi.Output<Message> {
  return message.output(args, opts);
}

const newMessage = query(
  functions.waitForMessage,
  async () => (await import("../../functions/mail.js")).waitForMessage,
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
export function waitForMessage(args: mail.WaitForMessageArgs, opts?: pulumi.InvokeOptions): Promise<mail.ReceivedMessage | undefined> {
  return newMessage.promise(args, opts);
}

/**
 * Like {@link waitForMessage}, for outputs. The whole result is secret, and unknown in a preview. The wait begins when
 * the arguments are known: if they depend on what sends the mail, set `since`.
 */
export function waitForMessageOutput(
  args: Inputs<mail.WaitForMessageArgs>, opts?: pulumi.InvokeOptions
): pulumi.Output<mail.ReceivedMessage> {
  return newMessage.output(args, opts).apply((received) => received ?? notYetKnown<mail.ReceivedMessage>());
}

/** Returns the engine's unknown value, which stands for any type. */
const notYetKnown = <T>(): T => pulumi.unknown as T;
