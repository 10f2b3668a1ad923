import type { Message, MessageSummary } from "cloudservices-sdk";
import { z } from "zod";
import { text, timestamp } from "../kernel/definition/fields.js";
import { milliseconds } from "../kernel/definition/timeouts.js";
import { type ArgsOf, defineFunction } from "./define-function.js";

/** Returns the messages of an inbox, with their one-time codes. The result is secret. */
export const getMessages = defineFunction({
  name: "getMessages",
  args: {
    /** The id of the inbox. */
    inboxId: text(),
  },
  secret: true,
  /** The messages of the inbox. */
  result: "messages",
  run: (service, { inboxId }): Promise<MessageSummary[]> => service().mail.listMessages(inboxId),
});

/** The inbox whose messages to list. */
export interface GetMessagesArgs extends ArgsOf<typeof getMessages> {}

/** Returns a message with its text, links and one-time code. The result is secret. */
export const getMessage = defineFunction({
  name: "getMessage",
  args: {
    /** The id of the message. */
    messageId: text(),
  },
  secret: true,
  run: (service, { messageId }): Promise<Message> => service().mail.getMessage(messageId),
});

/** Which message to read. */
export interface GetMessageArgs extends ArgsOf<typeof getMessage> {}

/** The message that arrived. */
export interface ReceivedMessage {
  /** The whole message. */
  readonly message: Message;
  /** The one-time code, if the service found one. */
  readonly otpCode: string | undefined;
  /** The links that the service found. */
  readonly links: readonly string[];
}

const duration = z
  .string({ error: 'must be a duration such as "90s" or "2m"' })
  .refine((value) => (milliseconds(value) ?? 0) > 0, { error: 'must be a duration such as "90s" or "2m"' });

const cursor = z.strictObject({
  /** The inbox of the messages. */
  inboxId: text(),
  /** The ids of the messages that are not new. */
  seen: z.array(text()).readonly(),
});

const since = z.union([timestamp(), cursor], {
  error: "must be an ISO 8601 time with an offset or Z, or a cursor: { inboxId, seen: [ids] }",
});

/**
 * Waits for a new message and returns it with its one-time code and links. The result is secret. A preview sends no
 * request and has no result.
 */
export const waitForMessage = defineFunction({
  name: "waitForMessage",
  args: {
    /** The id of the inbox. */
    inboxId: text(),
    /** Part of the sender, ignoring case. */
    from: text().optional(),
    /** Part of the subject, ignoring case. */
    subject: text().optional(),
    /**
     * Only later messages: those received at or after a time of the service's clock (ISO 8601, such as an inbox's
     * `createdAt`), or those not in `seen`. Default: those that arrive after the call begins.
     */
    since: since.optional(),
    /** How long to wait, such as `90s`. Default: `2m`. */
    timeout: duration.optional(),
  },
  secret: true,
  async run(
    service,
    { inboxId, timeout = "2m", ...wanted },
    { preview },
  ): Promise<ReceivedMessage | undefined> {
    // A preview does not send the mail, so it would never arrive.
    if (preview) return undefined;
    const bounded = { ...wanted, timeout: milliseconds(timeout) };
    const { message, otpCode, links } = await service().mail.waitForMessage(inboxId, bounded);
    return { message, otpCode, links };
  },
});

/** Which message to wait for, and how long. */
export interface WaitForMessageArgs extends ArgsOf<typeof waitForMessage> {}
