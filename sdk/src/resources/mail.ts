import { z } from "zod";
import type { Api } from "../core/api.js";
import type { ApiPromise } from "../core/api-promise.js";
import { nothing, operation } from "../core/operation.js";
import type { ListPromise } from "../core/pages.js";
import type { Poller } from "../core/poller.js";
import type { RequestOptions } from "../core/request-options.js";
import type { Integer, Listed, ShapeOf } from "../core/shapes.js";
import { sharedPoller } from "../core/shared-poller.js";
import { freeForm, identifier } from "../core/wire.js";
import { absoluteUrl, type ListInput, listed, listInput, text } from "./fields.js";
import {
  type InboxContents,
  inboxTarget,
  type MessageCursor,
  newMessage,
  type WaitForMessageOptions,
} from "./new-message.js";

/** An ephemeral inbox. Specification: "the service" (the inbox) under "Resources". */
export interface Inbox {
  /** The id of the inbox: `inbox_…`. */
  readonly inboxId: string;
  /** The address of the inbox. */
  readonly emailAddress: string;
  /** How many minutes the inbox lives. */
  readonly ttlMinutes: Integer;
  /** When the service deletes the inbox: ISO 8601, UTC. */
  readonly expiresAt: string;
  /** The number of messages in the inbox. */
  readonly messageCount: Integer;
  /** When the inbox was created: ISO 8601, UTC. */
  readonly createdAt: string;
}

/** An inbox as a list shows it. The specification shows no such list, so only the id is certain. */
export interface ListedInbox extends Listed<Inbox, "inboxId"> {}

/** A message in the list of an inbox. Specification: "Message summary". */
export interface MessageSummary {
  /** The id of the message: `msg_…`. */
  readonly id: string;
  /** The address of the sender. */
  readonly sender: string;
  /** The subject. */
  readonly subject: string;
  /** The beginning of the text. */
  readonly snippet: string;
  /** The one-time code that the service found: a secret. Absent if it found none (assumed). */
  readonly otpCode?: string | undefined;
  /** When the message arrived: ISO 8601, UTC. */
  readonly receivedAt: string;
  /** Whether the message has attachments. */
  readonly hasAttachments: boolean;
}

/** A message. Specification: "Message detail". */
export interface Message {
  /** The id of the message: `msg_…`. */
  readonly id: string;
  /** The address of the sender. */
  readonly sender: string;
  /** The address of the inbox. */
  readonly recipient: string;
  /** The subject. */
  readonly subject: string;
  /** The body as HTML. Absent if the message has none (assumed). */
  readonly htmlBody?: string | undefined;
  /** The body as plain text. Absent if the message has none (assumed). */
  readonly textBody?: string | undefined;
  /** The links that the service found in the body. */
  readonly parsedLinks: string[];
  /** The one-time code that the service found: a secret. Absent if it found none (assumed). */
  readonly otpCode?: string | undefined;
  /** The headers by name, at least `Message-ID`, `SPF` and `DKIM`. */
  readonly headers: Record<string, unknown>;
}

const inbox = z.object({
  inboxId: identifier(),
  emailAddress: z.string(),
  ttlMinutes: z.int(),
  expiresAt: z.string(),
  messageCount: z.int(),
  createdAt: z.string(),
} satisfies ShapeOf<Inbox>);

const summary = z.object({
  id: identifier(),
  sender: z.string(),
  subject: z.string(),
  snippet: z.string(),
  otpCode: z.string().optional(),
  receivedAt: z.string(),
  hasAttachments: z.boolean(),
} satisfies ShapeOf<MessageSummary>);

const message = z.object({
  id: identifier(),
  sender: z.string(),
  recipient: z.string(),
  subject: z.string(),
  htmlBody: z.string().optional(),
  textBody: z.string().optional(),
  parsedLinks: z.array(z.string()),
  otpCode: z.string().optional(),
  headers: freeForm(),
} satisfies ShapeOf<Message>);

/** The input of `mail.createInbox`. Specification: "Temp mail", all optional. */
export interface InboxCreateInput {
  /** The beginning of the local part. Default: chosen by the service. */
  readonly prefix?: string | undefined;
  /** An available temp domain, or a verified custom domain. Default: chosen by the service. */
  readonly domain?: string | undefined;
  /** Minutes until the inbox expires, 1 to 1440. Default 60. */
  readonly ttlMinutes?: Integer | undefined;
  /** The address that the service calls with new messages. */
  readonly webhookUrl?: string | undefined;
}

const createInbox = operation({
  call: "mail.createInbox",
  basis: "documented",
  method: "POST",
  path: "/tempmail/inboxes",
  section: "Temp mail",
  input: z
    .strictObject({
      prefix: text().optional(),
      domain: text().optional(),
      ttlMinutes: z.int().min(1).max(1440).optional(),
      webhookUrl: absoluteUrl().optional(),
    } satisfies ShapeOf<InboxCreateInput>)
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
  response: z.array(listed(inbox, { inboxId: identifier() })),
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

/** The result of a wait for a message. */
export interface ReceivedMessage {
  /** The whole message. */
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

  /** @param api - The result of `connect`. */
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
  listInboxes(input?: ListInput, options?: RequestOptions): ListPromise<ListedInbox> {
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
    // With `partialResponses`, a message may lack its links.
    return { message, ...(otpCode !== undefined && { otpCode }), links: message.parsedLinks ?? [] };
  }
}
