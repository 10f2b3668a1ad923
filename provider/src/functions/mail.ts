import * as pulumi from "@pulumi/pulumi";
import type { Message, MessageCursor, MessageSummary } from "cloudservices-sdk";
import { z } from "zod";
import { text, timestamp } from "../kernel/definition/fields.js";
import { milliseconds } from "../kernel/definition/timeouts.js";
import { type Inputs, query } from "./query.js";

export type { Message, MessageCursor, MessageSummary };

/** The inbox whose messages to list. */
export interface GetMessagesArgs {
  readonly inboxId: string;
}

const messages = query({
  name: "getMessages",
  args: { inboxId: text() },
  secret: true,
  run: (service, { inboxId }): Promise<MessageSummary[]> => service().mail.listMessages(inboxId),
});

/**
 * Returns the messages of an inbox, with their one-time codes. The promise resolves to plain values: wrap in
 * `pulumi.secret` what you pass to a resource or a stack output. Specification: "Message summary".
 */
export function getMessages(args: GetMessagesArgs): Promise<MessageSummary[]> {
  return messages.promise(args);
}

/** Like {@link getMessages}, for outputs. The whole result is secret. */
export function getMessagesOutput(args: Inputs<GetMessagesArgs>): pulumi.Output<MessageSummary[]> {
  return messages.output(args);
}

/** Which message to read. */
export interface GetMessageArgs {
  readonly messageId: string;
}

const message = query({
  name: "getMessage",
  args: { messageId: text() },
  secret: true,
  run: (service, { messageId }): Promise<Message> => service().mail.getMessage(messageId),
});

/**
 * Returns a message with its text, links and one-time code. The promise resolves to plain values: wrap in
 * `pulumi.secret` what you pass to a resource or a stack output. Specification: "Message detail".
 */
export function getMessage(args: GetMessageArgs): Promise<Message> {
  return message.promise(args);
}

/** Like {@link getMessage}, for outputs. The whole result is secret. */
export function getMessageOutput(args: Inputs<GetMessageArgs>): pulumi.Output<Message> {
  return message.output(args);
}

/** Which message to wait for, and how long. */
export interface WaitForMessageArgs {
  readonly inboxId: string;
  /** Part of the sender, ignoring case. */
  readonly from?: string | undefined;
  /** Part of the subject, ignoring case. */
  readonly subject?: string | undefined;
  /**
   * Only later messages: those received at or after a time of the service's clock (ISO 8601, such as an inbox's
   * `createdAt`), or those not in `seen`. Default: those that arrive after the call begins.
   */
  readonly since?: string | MessageCursor | undefined;
  /** Such as `90s`. Default: `2m`. */
  readonly timeout?: string | undefined;
}

/** The message that arrived. */
export interface ReceivedMessage {
  readonly message: Message;
  /** The one-time code, if the service found one. */
  readonly otpCode: string | undefined;
  /** The links that the service found. */
  readonly links: readonly string[];
}

const duration = z
  .string({ error: 'must be a duration such as "90s" or "2m"' })
  .refine((value) => (milliseconds(value) ?? 0) > 0, { error: 'must be a duration such as "90s" or "2m"' });

const cursor = z.union([timestamp(), z.strictObject({ inboxId: text(), seen: z.array(text()) })], {
  error: "must be an ISO 8601 time with an offset or Z, or a cursor: { inboxId, seen: [ids] }",
});

const newMessage = query({
  name: "waitForMessage",
  args: {
    inboxId: text(),
    from: text().optional(),
    subject: text().optional(),
    since: cursor.optional(),
    timeout: duration.optional(),
  },
  secret: true,
  async run(service, { inboxId, timeout = "2m", ...wanted }): Promise<ReceivedMessage | undefined> {
    // A preview does not send the mail, so it would never arrive.
    if (pulumi.runtime.isDryRun()) return undefined;
    const bounded = { ...wanted, timeout: milliseconds(timeout) };
    const { message, otpCode, links } = await service().mail.waitForMessage(inboxId, bounded);
    return { message, otpCode, links };
  },
});

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
export function waitForMessage(args: WaitForMessageArgs): Promise<ReceivedMessage | undefined> {
  return newMessage.promise(args);
}

/**
 * Like {@link waitForMessage}, for outputs. The whole result is secret, and unknown in a preview. The wait begins when
 * the arguments are known: if they depend on what sends the mail, set `since`.
 */
export function waitForMessageOutput(args: Inputs<WaitForMessageArgs>): pulumi.Output<ReceivedMessage> {
  return newMessage.output(args).apply((received) => received ?? notYetKnown<ReceivedMessage>());
}

/** Returns the engine's unknown value, which stands for any type. */
const notYetKnown = <T>(): T => pulumi.unknown as T;
