import type { Inbox as RemoteInbox } from "cloudservices-sdk";
import { flag, hostname, integer, isPast, localPart, sameHost, webUrl } from "../kernel/definition/fields.js";
import { defineKind } from "../kernel/definition/kind.js";
import { mayBeTrue } from "../kernel/definition/properties.js";
import { IMMEDIATE } from "../kernel/definition/timeouts.js";
import { type Adoptable, type Args, resourceOf } from "../resource.js";

export interface InboxInputs {
  /** The beginning of the address. Default: the resource's name with a short hash. */
  prefix?: string | undefined;
  /** A temporary domain of the service, or your own verified domain. */
  domain?: string | undefined;
  /** How long the inbox lives, in minutes: 1 to 1440. Default: 60. Drift is detected. */
  ttlMinutes?: number | undefined;
  /** The URL to which the service sends each new mail. Not returned, so its drift cannot be detected. */
  webhookUrl?: string | undefined;
  /** Whether an expired inbox is replaced by a new one on the next `pulumi up`. Default: false. */
  renewExpired?: boolean | undefined;
}

export interface InboxOutputs {
  emailAddress: string;
  /** When the service deletes the inbox: an ISO 8601 time. */
  expiresAt: string;
  /** The number of messages in the inbox at the last refresh. */
  messageCount: number;
  /** When the inbox was created: an ISO 8601 time. */
  createdAt: string;
  /** Whether a refresh found that the inbox had expired. */
  expired: boolean;
}

/** Specification: "the service" under "Temp mail". */
export const inbox = defineKind<InboxInputs, InboxOutputs, RemoteInbox>({
  name: "Inbox",
  inputs: {
    prefix: { schema: localPart(), onChange: "replace", optional: true },
    domain: {
      schema: hostname(),
      onChange: "replace",
      optional: true,
      isEquivalent: sameHost,
      from: (remote) => remote.emailAddress?.split("@").at(-1),
    },
    ttlMinutes: {
      schema: integer(1, 1_440),
      onChange: "replace",
      optional: true,
      default: 60,
      from: (remote) => remote.ttlMinutes,
    },
    webhookUrl: { schema: webUrl(), onChange: "replace", optional: true },
    renewExpired: { schema: flag(), onChange: "record", optional: true, default: false },
  },
  outputs: {
    emailAddress: { from: (remote) => remote.emailAddress },
    expiresAt: { from: (remote) => remote.expiresAt },
    messageCount: { from: (remote) => remote.messageCount },
    createdAt: { from: (remote) => remote.createdAt },
    expired: { from: () => false },
  },
  timeouts: IMMEDIATE,
  naming: { field: "prefix", form: "readable", expires: (remote) => remote.expiresAt },
  identity: {
    by: ["prefix"],
    matches: (remote, inputs) =>
      inputs.prefix !== undefined && (remote.emailAddress ?? "").startsWith(inputs.prefix),
  },
  documented: { probe: (api, id) => api.mail.listMessages(id) },

  id: (remote) => remote.inboxId,
  create: (api, { renewExpired: _renew, ...inputs }) => api.mail.createInbox(inputs),
  read: (api, id) => api.mail.getInbox(id),
  list: (api, page) => api.mail.listInboxes(page),
  delete: (api, id) => api.mail.deleteInbox(id),
  afterRemoval: "It is free, and the service deletes it when it expires.",

  mustReplace: (outputs, inputs, now) =>
    mayBeTrue(inputs["renewExpired"]) && (outputs["expired"] === true || isPast(outputs["expiresAt"], now))
      ? ["expired"]
      : [],
  expired: (outputs, now) => (isPast(outputs["expiresAt"], now) ? { expired: true } : undefined),
});

export type InboxArgs = Args<InboxInputs> & Adoptable;

/**
 * A temporary mail inbox. The service deletes it at `expiresAt`; it then stays in the state as `expired`, unless
 * `renewExpired` replaces it.
 *
 * @example
 * ```ts
 * const signup = new Inbox("signup", { ttlMinutes: 120 });
 * export const address = signup.emailAddress;
 * ```
 */
export class Inbox extends resourceOf(inbox) {}
