import { type EventName, eventNames, type Webhook as RemoteWebhook, unlistedEvent } from "cloudservices-sdk";
import type { Adoptable, Args } from "../args.js";
import { given } from "../kernel/definition/changes.js";
import { type InputsOf, kindOf, type OutputsOf } from "../kernel/definition/define-kind.js";
import { callableUrl, listOf, openText, sameMembers, sameUrl, text } from "../kernel/definition/fields.js";
import { IMMEDIATE } from "../kernel/definition/timeouts.js";

const { defineKind, input, optionalOutput } = kindOf<RemoteWebhook>();

/** Specification: "Webhook registration". The shape of the response is assumed. */
export const webhook = defineKind({
  name: "Webhook",
  inputs: {
    /** Where notifications are sent: an https URL; http on a loopback address only. Drift is detected. */
    url: input(callableUrl(), { onChange: "update", isEquivalent: sameUrl, from: (remote) => remote.url }),
    /** The events to subscribe to; order and repetition are ignored. Drift is detected. */
    events: input(
      listOf(openText<EventName>(), "event names").min(1, { error: "must name at least one event" }),
      {
        onChange: "update",
        allowedValues: eventNames,
        isEquivalent: sameMembers,
        from: (remote) => remote.events,
      },
    ),
    /** The secret with which notifications are signed. Secret. Not returned, so its drift cannot be detected. */
    secret: input(text(), { onChange: "update", secret: true }),
  },
  outputs: {
    /** When the webhook was registered: an ISO 8601 time, if the service returns it. */
    createdAt: optionalOutput((remote) => remote.createdAt, { changesWith: [] }),
  },
  timeouts: IMMEDIATE,
  identity: {
    by: ["url", "events"],
    matches: ({ url, events }, inputs) =>
      url !== undefined &&
      events !== undefined &&
      sameUrl(url, inputs.url) &&
      sameMembers(events, inputs.events),
  },

  id: (remote) => remote.id,
  create: (api, inputs) => api.webhooks.create({ ...inputs, events: eventsOf(inputs) }),
  read: (api, id) => api.webhooks.get(id),
  list: (api, page) => api.webhooks.list(page),
  update: (api, id, { url, events, secret }) =>
    api.webhooks.update(id, given({ url, events: events && eventsOf({ events }), secret })),
  delete: (api, id) => api.webhooks.delete(id),
  afterRemoval: "While it exists, the service calls its URL.",
});

/** Returns the events to register, each once: the service may reject a repeated name. */
const eventsOf = ({ events }: { readonly events: readonly string[] }) =>
  [...new Set(events)].map((name) => unlistedEvent(name));

export interface WebhookInputs extends InputsOf<typeof webhook> {}
export interface WebhookOutputs extends OutputsOf<typeof webhook> {}

export type WebhookArgs = Args<WebhookInputs> & Adoptable;
