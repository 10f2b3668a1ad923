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
  /** Optional, because the specification does not show the response to a registration. */
  id: identifier().optional(),
  /** The address that the service calls. */
  url: z.string().optional(),
  /** The names of the events that it is called for. */
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
    /** The https address that the service calls. */
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

/** A registered webhook, without its secret. Specification: "Webhook registration". */
export type Webhook = z.output<typeof webhook>;
/** Specification: "Webhook registration". */
export type WebhookCreateInput = z.input<typeof create.input>;
/** The fields of a webhook that can change in place (assumed). Absent fields keep their value. */
export type WebhookUpdateInput = z.input<typeof update.input>;

/** Outbound notifications. Specification: "Outbound webhooks"; `verifyEvent` receives them. */
export class Webhooks {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /** Registers an endpoint for events. Documented, except the response body. */
  create(input: WebhookCreateInput, options?: RequestOptions): ApiPromise<Webhook> {
    return this.#api.call(create, {}, input, options);
  }

  /** Lists webhooks. Iterate the result for all pages. Assumed. */
  list(input?: ListInput, options?: RequestOptions): ListPromise<Webhook> {
    return this.#api.list(list, input, options);
  }

  /** Reads one webhook. Assumed. */
  get(id: string, options?: RequestOptions): ApiPromise<Webhook> {
    return this.#api.call(get, { id }, undefined, options);
  }

  /** Changes a webhook in place. Absent fields keep their value. Assumed. */
  update(id: string, input: WebhookUpdateInput, options?: RequestOptions): ApiPromise<Webhook> {
    return this.#api.call(update, { id }, input, options);
  }

  /** Deletes a webhook. Assumed. */
  delete(id: string, options?: RequestOptions): ApiPromise<undefined> {
    return this.#api.call(remove, { id }, undefined, options);
  }
}
