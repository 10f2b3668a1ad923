import { z } from "zod";
import type { Api } from "../core/api.js";
import type { ApiPromise } from "../core/api-promise.js";
import { nothing, operation } from "../core/operation.js";
import type { ListPromise } from "../core/pages.js";
import type { Poller } from "../core/poller.js";
import type { RequestOptions } from "../core/request-options.js";
import { sharedPoller } from "../core/shared-poller.js";
import { freeForm, identifier } from "../core/wire.js";
import { absoluteUrl, type ListInput, listInput, text } from "./fields.js";
import {
  type InboxContents,
  inboxTarget,
  type MessageCursor,
  newMessage,
  type WaitForMessageOptions,
} from "./new-message.js";

const inbox = z.object({
  /** The id of the inbox. */
  inboxId: identifier(),
  /** The address of the inbox. */
  emailAddress: z.string().optional(),
  /** How many minutes the inbox lives. */
  ttlMinutes: z.int().optional(),
  /** ISO 8601, UTC. */
  expiresAt: z.string().optional(),
  /** The number of messages in the inbox. */
  messageCount: z.int().optional(),
  /** ISO 8601, UTC. */
  createdAt: z.string().optional(),
});

const summary = z.object({
  /** The id of the message. */
  id: identifier(),
  /** The address of the sender. */
  sender: z.string().optional(),
  /** The subject. */
  subject: z.string().optional(),
  /** The beginning of the text. */
  snippet: z.string().optional(),
  /** The one-time code that the service found: a secret. */
  otpCode: z.string().optional(),
  /** When the message arrived: ISO 8601, UTC. */
  receivedAt: z.string().optional(),
  /** Whether the message has attachments. */
  hasAttachments: z.boolean().optional(),
});

const message = z.object({
  /** The id of the message. */
  id: identifier(),
  /** The address of the sender. */
  sender: z.string().optional(),
  /** The address of the inbox. */
  recipient: z.string().optional(),
  /** The subject. */
  subject: z.string().optional(),
  /** The body as HTML. */
  htmlBody: z.string().optional(),
  /** The body as plain text. */
  textBody: z.string().optional(),
  /** The links that the service found in the body. */
  parsedLinks: z.array(z.string()).optional(),
  /** The one-time code that the service found: a secret. */
  otpCode: z.string().optional(),
  /** The headers by name, at least `Message-ID`, `SPF` and `DKIM`. */
  headers: freeForm().optional(),
});

const createInbox = operation({
  call: "mail.createInbox",
  basis: "documented",
  method: "POST",
  path: "/tempmail/inboxes",
  section: "Temp mail",
  input: z
    .strictObject({
      /** The beginning of the local part. */
      prefix: text().optional(),
      /** An available temp domain, or a verified custom domain. */
      domain: text().optional(),
      /** Minutes until the inbox expires, 1 to 1440. Default 60. */
      ttlMinutes: z.int().min(1).max(1440).optional(),
      /** The address that the service calls with new messages. */
      webhookUrl: absoluteUrl().optional(),
    })
    .default({}),
  response: inbox,
});

const listInboxes = operation({
  call: "mail.listInboxes",
  basis: "assumed",
  method: "GET",
  path: "/tempmail/inboxes",
  section: "Gaps in endpoints: list resources other than links",
  input: listInput,
  response: z.array(inbox),
});

const getInbox = operation({
  call: "mail.getInbox",
  basis: "assumed",
  method: "GET",
  path: "/tempmail/inboxes/:inboxId",
  section: "Gaps in endpoints: read single resources",
  input: nothing,
  response: inbox,
});

const deleteInbox = operation({
  call: "mail.deleteInbox",
  basis: "assumed",
  method: "DELETE",
  path: "/tempmail/inboxes/:inboxId",
  section: "Gaps in endpoints: delete single resources",
  input: nothing,
  response: nothing,
  kind: "nothing",
});

const listMessages = operation({
  call: "mail.listMessages",
  basis: "documented",
  method: "GET",
  path: "/tempmail/inboxes/:inboxId/messages",
  section: "Message summary",
  input: nothing,
  response: z.array(summary),
});

const getMessage = operation({
  call: "mail.getMessage",
  basis: "documented",
  method: "GET",
  path: "/tempmail/messages/:messageId",
  isLarge: true,
  section: "Message detail",
  input: nothing,
  response: message,
});

export const mailOperations = [
  createInbox,
  listInboxes,
  getInbox,
  deleteInbox,
  listMessages,
  getMessage,
] as const;

/** An ephemeral inbox. Specification: "the service" (the inbox) under "Resources". */
export type Inbox = z.output<typeof inbox>;
/** Specification: "Temp mail", all optional. */
export type InboxCreateInput = z.input<typeof createInbox.input>;
/** Specification: "Message summary". */
export type MessageSummary = z.output<typeof summary>;
/** Specification: "Message detail". */
export type Message = z.output<typeof message>;

/** The result of a wait for a message. */
export interface ReceivedMessage {
  readonly message: Message;
  /** The one-time code that the service found: a secret. */
  readonly otpCode?: string;
  /** The links that the service found. */
  readonly links: readonly string[];
}

const pollers = new WeakMap<Api, Poller<InboxContents>>();

/** Ephemeral inboxes and their messages. Specification: "Temp mail". */
export class Mail {
  readonly #api: Api;
  readonly #poller: Poller<InboxContents>;

  constructor(api: Api) {
    this.#api = api;
    this.#poller = sharedPoller(pollers, api, (root) =>
      inboxTarget((inboxId, options) => root.call(listMessages, { inboxId }, undefined, options)),
    );
  }

  /** Creates an inbox, which expires after `ttlMinutes`. Documented. */
  createInbox(input?: InboxCreateInput, options?: RequestOptions): ApiPromise<Inbox> {
    return this.#api.call(createInbox, {}, input, options);
  }

  /** Lists inboxes. Iterate the result for all pages. Assumed. */
  listInboxes(input?: ListInput, options?: RequestOptions): ListPromise<Inbox> {
    return this.#api.list(listInboxes, input, options);
  }

  /** Reads one inbox. Assumed. */
  getInbox(inboxId: string, options?: RequestOptions): ApiPromise<Inbox> {
    return this.#api.call(getInbox, { inboxId }, undefined, options);
  }

  /** Deletes an inbox with its messages. Assumed. */
  deleteInbox(inboxId: string, options?: RequestOptions): ApiPromise<undefined> {
    return this.#api.call(deleteInbox, { inboxId }, undefined, options);
  }

  /** Lists the messages of an inbox, without pages. Documented. */
  listMessages(inboxId: string, options?: RequestOptions): ApiPromise<MessageSummary[]> {
    return this.#api.call(listMessages, { inboxId }, undefined, options);
  }

  /** Reads one message. Documented. */
  getMessage(messageId: string, options?: RequestOptions): ApiPromise<Message> {
    return this.#api.call(getMessage, { messageId }, undefined, options);
  }

  /**
   * Returns the present messages of an inbox, so that {@link waitForMessage} can return any newer one, also one that
   * arrives before the wait begins.
   */
  async cursor(inboxId: string, options?: RequestOptions): Promise<MessageCursor> {
    const messages = await this.listMessages(inboxId, options);
    return { inboxId, seen: messages.map(({ id }) => id) };
  }

  /**
   * Waits for a new message and returns it with its one-time code and its links. Uses documented calls only. Concurrent
   * waits for one inbox share their requests.
   *
   * Without `since`, the messages of the first poll count as old. Get a {@link cursor} first if the message may arrive
   * before the wait begins.
   *
   * @throws {@link WaitTimeoutError} when no message matches in time.
   * @throws {@link NotFoundError} when the inbox does not exist, for example because it has expired.
   * @example
   * ```ts
   * const since = await client.mail.cursor(inbox.inboxId);
   * await signUp(inbox.emailAddress);
   * const { otpCode } = await client.mail.waitForMessage(inbox.inboxId, { subject: /code/i, since });
   * ```
   */
  async waitForMessage(inboxId: string, options: WaitForMessageOptions = {}): Promise<ReceivedMessage> {
    const found = await newMessage(this.#poller, inboxId, options);
    const { signal } = options;
    const message = await this.getMessage(found.id, { signal });
    const otpCode = message.otpCode ?? found.otpCode;
    return { message, ...(otpCode !== undefined && { otpCode }), links: message.parsedLinks ?? [] };
  }
}
