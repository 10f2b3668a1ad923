import { z } from "zod";
import { type EventName, eventNames } from "../catalogue.js";
import type { Api } from "../core/api.js";
import type { ApiPromise } from "../core/api-promise.js";
import { nothing, operation } from "../core/operation.js";
import type { ListPromise } from "../core/pages.js";
import type { RequestOptions } from "../core/request-options.js";
import type { OpenText, ShapeOf } from "../core/shapes.js";
import { identifier, knownText } from "../core/wire.js";
import { callableUrl, type ListInput, listInput, text } from "./fields.js";

/**
 * A registered webhook, without its secret. The specification does not show the response to a registration, so each
 * field may be absent.
 */
export interface Webhook {
  /** The id of the webhook. */
  readonly id?: string | undefined;
  /** The address that the service calls. */
  readonly url?: string | undefined;
  /** The names of the events that it is called for. */
  readonly events?: OpenText<EventName>[] | undefined;
  /** When the webhook was registered: ISO 8601, UTC. */
  readonly createdAt?: string | undefined;
}

const webhook = z.object({
  id: identifier().optional(),
  url: z.string().optional(),
  events: z.array(knownText<EventName>()).optional(),
  createdAt: z.string().optional(),
} satisfies ShapeOf<Webhook>);

const unlisted = z.string().min(1, "expected text that is not empty").brand<"UnlistedEvent">();

/** The name of an event that this package does not list: see {@link unlistedEvent}. */
export type UnlistedEvent = z.output<typeof unlisted>;

/**
 * Returns the name of an event that the specification does not list, for a registration. Listed names need no such call,
 * and a misspelt one does not compile.
 *
 * @throws ZodError when the name is empty.
 * @example
 * ```ts
 * await client.webhooks.create({ url, secret, events: ["database.backup.failed", unlistedEvent("vps.created")] });
 * ```
 */
export const unlistedEvent = (name: string): UnlistedEvent => unlisted.parse(name);

/** The input of `webhooks.create`. Specification: "Webhook registration". */
export interface WebhookCreateInput {
  /** The address that the service calls: https, or http on this machine for a local sandbox. */
  readonly url: string;
  /** The events to be notified of, at least one, e.g. `database.backup.completed`. Specification: "Events". */
  readonly events: readonly (EventName | UnlistedEvent)[];
  /** The shared secret that signs notifications. Never in logs or errors. */
  readonly secret: string;
}

/** The fields of a webhook that can change in place (assumed). Absent fields keep their value. */
export interface WebhookUpdateInput {
  /** The address that the service calls: https, or http on this machine for a local sandbox. */
  readonly url?: string | undefined;
  /** The events to be notified of, at least one. */
  readonly events?: readonly (EventName | UnlistedEvent)[] | undefined;
  /** The shared secret that signs notifications. Never in logs or errors. */
  readonly secret?: string | undefined;
}

const events = () =>
  z
    .array(z.union([z.enum(eventNames), unlisted]))
    .min(1, "expected at least one event")
    .readonly();

const create = operation({
  call: "webhooks.create",
  basis: "documented",
  method: "POST",
  path: "/webhooks",
  section: "Webhook registration",
  input: z.strictObject({
    url: callableUrl(),
    events: events(),
    secret: text(),
  } satisfies ShapeOf<WebhookCreateInput>),
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
    secret: text().optional(),
  } satisfies ShapeOf<WebhookUpdateInput>),
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
});

export const webhookOperations = [create, list, get, update, remove] as const;

/** Outbound notifications. Specification: "Outbound webhooks"; `verifyEvent` receives them. */
export class Webhooks {
  readonly #api: Api;

  /** @param api - The result of `connect`. */
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
