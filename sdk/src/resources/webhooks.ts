import { z } from "zod";
import type { EventName } from "../catalogue.js";
import type { Api } from "../core/api.js";
import type { ApiPromise } from "../core/api-promise.js";
import { nothing, operation } from "../core/operation.js";
import type { ListPromise } from "../core/pages.js";
import type { RequestOptions } from "../core/request-options.js";
import { identifier } from "../core/wire.js";
import { callableUrl, type ListInput, listInput, openText, text } from "./fields.js";

const webhook = z.object({
  /** The specification does not show the answer to a registration, so not even the id is certain. */
  id: identifier().optional(),
  url: z.string().optional(),
  events: z.array(z.string()).optional(),
  /** ISO 8601, UTC. */
  createdAt: z.string().optional(),
});

const events = () => z.array(openText<EventName>()).min(1, "expected at least one event");

const create = operation({
  call: "webhooks.create",
  basis: "documented",
  method: "POST",
  path: "/webhooks",
  section: "Webhook registration",
  input: z.strictObject({
    /** The https address that is called. */
    url: callableUrl(),
    /** E.g. `database.backup.completed`. */
    events: events(),
    /** The shared secret that signs notifications. Never in logs or errors. */
    secret: text(),
  }),
  response: webhook,
  bodyNotShown: true,
});

const list = operation({
  call: "webhooks.list",
  basis: "assumed",
  method: "GET",
  path: "/webhooks",
  section: "Gaps in endpoints: list resources other than links",
  input: listInput,
  response: z.array(webhook),
});

const get = operation({
  call: "webhooks.get",
  basis: "assumed",
  method: "GET",
  path: "/webhooks/:id",
  section: "Gaps in endpoints: read single resources",
  input: nothing,
  response: webhook,
});

const update = operation({
  call: "webhooks.update",
  basis: "assumed",
  method: "PATCH",
  path: "/webhooks/:id",
  section: "Gaps in endpoints: update single resources",
  input: z.strictObject({
    url: callableUrl().optional(),
    events: events().optional(),
    /** Never in logs or errors. */
    secret: text().optional(),
  }),
  response: webhook,
});

const remove = operation({
  call: "webhooks.delete",
  basis: "assumed",
  method: "DELETE",
  path: "/webhooks/:id",
  section: "Gaps in endpoints: delete single resources",
  input: nothing,
  response: nothing,
  kind: "nothing",
});

export const webhookOperations = [create, list, get, update, remove] as const;

/** A registered webhook; the secret is never among it. Specification: "Webhook registration". */
export type Webhook = z.output<typeof webhook>;
/** Specification: "Webhook registration". */
export type WebhookCreateInput = z.input<typeof create.input>;
/** What of a webhook can be changed in place (assumed); what is not given stays. */
export type WebhookUpdateInput = z.input<typeof update.input>;

/** Outbound notifications. Specification: "Outbound webhooks"; to receive them see `verifyEvent`. */
export class Webhooks {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Registers an endpoint for events. Documented; the body of the answer is not shown. */
  create(input: WebhookCreateInput, options?: RequestOptions): ApiPromise<Webhook> {
    return this.#api.call(create, {}, input, options);
  }

  /** Lists webhooks; iterate it for all of them. Assumed. */
  list(input?: ListInput, options?: RequestOptions): ListPromise<Webhook> {
    return this.#api.list(list, input, options);
  }

  /** Reads one webhook. Assumed. */
  get(id: string, options?: RequestOptions): ApiPromise<Webhook> {
    return this.#api.call(get, { id }, undefined, options);
  }

  /** Changes a webhook in place; what is not given stays. Assumed. */
  update(id: string, input: WebhookUpdateInput, options?: RequestOptions): ApiPromise<Webhook> {
    return this.#api.call(update, { id }, input, options);
  }

  /** Ends the notifications to an endpoint. Assumed. */
  delete(id: string, options?: RequestOptions): ApiPromise<undefined> {
    return this.#api.call(remove, { id }, undefined, options);
  }
}
