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
  inboxId: identifier(),
  emailAddress: z.string().optional(),
  ttlMinutes: z.int().optional(),
  /** ISO 8601, UTC. */
  expiresAt: z.string().optional(),
  messageCount: z.int().optional(),
  /** ISO 8601, UTC. */
  createdAt: z.string().optional(),
});

const summary = z.object({
  id: identifier(),
  sender: z.string().optional(),
  subject: z.string().optional(),
  /** Leading text. */
  snippet: z.string().optional(),
  /** A one-time code that the service found: a secret. */
  otpCode: z.string().optional(),
  /** ISO 8601, UTC. */
  receivedAt: z.string().optional(),
  hasAttachments: z.boolean().optional(),
});

const message = z.object({
  id: identifier(),
  sender: z.string().optional(),
  recipient: z.string().optional(),
  subject: z.string().optional(),
  htmlBody: z.string().optional(),
  textBody: z.string().optional(),
  /** Links that the service found in the body. */
  parsedLinks: z.array(z.string()).optional(),
  /** A one-time code that the service found: a secret. */
  otpCode: z.string().optional(),
  /** At least `Message-ID`, `SPF` and `DKIM`, under these names. */
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
      /** Beginning of the local part. */
      prefix: text().optional(),
      /** An available temp domain, or a verified custom domain. */
      domain: text().optional(),
      /** Minutes until the inbox expires, 1 to 1440. Default 60. */
      ttlMinutes: z.int().min(1).max(1440).optional(),
      /** Address that receives newly received emails. */
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

/** A message that was waited for. */
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

  /** Creates an inbox, which expires by itself. Documented. */
  createInbox(input?: InboxCreateInput, options?: RequestOptions): ApiPromise<Inbox> {
    return this.#api.call(createInbox, {}, input, options);
  }

  /** Lists inboxes; iterate it for all of them. Assumed. */
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

  /** The messages of an inbox; the specification shows no pages here. Documented. */
  listMessages(inboxId: string, options?: RequestOptions): ApiPromise<MessageSummary[]> {
    return this.#api.call(listMessages, { inboxId }, undefined, options);
  }

  /** Reads one message. Documented. */
  getMessage(messageId: string, options?: RequestOptions): ApiPromise<Message> {
    return this.#api.call(getMessage, { messageId }, undefined, options);
  }

  /**
   * Remembers what is in an inbox now, so that {@link waitForMessage} takes only what comes later, also while
   * nobody is waiting yet.
   */
  async cursor(inboxId: string, options?: RequestOptions): Promise<MessageCursor> {
    const messages = await this.listMessages(inboxId, options);
    return { inboxId, seen: messages.map(({ id }) => id) };
  }

  /**
   * Waits for a message and gives it with its one-time code and its links: never one that was there before. Uses
   * documented calls only.
   *
   * Without `since`, what is in the inbox at the first look counts as old. Where the message may come before the
   * wait begins, take a {@link cursor} before you cause it.
   *
   * @throws {@link WaitTimeoutError} when none came in time.
   * @throws {@link NotFoundError} when the inbox is gone, for example expired.
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
