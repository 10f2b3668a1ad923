import type { ListedInbox as RemoteInbox } from "cloudservices-sdk";
import type { Adoptable, Args } from "../args.js";
import { type InputsOf, kindOf, type OutputsOf } from "../kernel/definition/define-kind.js";
import { flag, hostname, integer, isPast, localPart, sameHost, webUrl } from "../kernel/definition/fields.js";
import { mayBeTrue } from "../kernel/definition/properties.js";
import { IMMEDIATE } from "../kernel/definition/timeouts.js";

const { defineKind, optionalInput, output } = kindOf<RemoteInbox>();

/** Specification: "the service" under "Temp mail". */
export const inbox = defineKind({
  name: "Inbox",
  inputs: {
    /** The beginning of the address. Default: the resource's name with a short hash. */
    prefix: optionalInput(localPart(), { onChange: "replace" }),
    /** A temporary domain of the service, or your own verified domain. */
    domain: optionalInput(hostname(), {
      onChange: "replace",
      isEquivalent: sameHost,
      from: (remote) => remote.emailAddress?.split("@").at(-1),
    }),
    /** How long the inbox lives, in minutes: 1 to 1440. Default: 60. Drift is detected. */
    ttlMinutes: optionalInput(integer(1, 1_440), {
      onChange: "replace",
      default: 60,
      from: (remote) => remote.ttlMinutes,
    }),
    /** The URL to which the service sends each new mail. Not returned, so its drift cannot be detected. */
    webhookUrl: optionalInput(webUrl(), { onChange: "replace" }),
    /** Whether an expired inbox is replaced by a new one on the next `pulumi up`. Default: false. */
    renewExpired: optionalInput(flag(), { onChange: "record", default: false }),
  },
  outputs: {
    /** The address of the inbox. */
    emailAddress: output((remote) => remote.emailAddress, { changesWith: [] }),
    /** When the service deletes the inbox: an ISO 8601 time. */
    expiresAt: output((remote) => remote.expiresAt, { changesWith: [] }),
    /** The number of messages in the inbox at the last refresh. */
    messageCount: output((remote) => remote.messageCount),
    /** When the inbox was created: an ISO 8601 time. */
    createdAt: output((remote) => remote.createdAt, { changesWith: [] }),
    /** Whether a refresh found that the inbox had expired. */
    expired: output(() => false, { changesWith: [] }),
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

export interface InboxInputs extends InputsOf<typeof inbox> {}
export interface InboxOutputs extends OutputsOf<typeof inbox> {}

export type InboxArgs = Args<InboxInputs> & Adoptable;
