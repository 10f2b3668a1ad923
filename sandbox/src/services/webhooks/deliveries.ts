import type { Context } from "../../core/context.js";
import { makeId } from "../../core/ids.js";
import { timestamp } from "../../state/clock.js";
import type { Rows } from "../../state/rows.js";
import type { Transaction } from "../../state/store.js";
import type { WebhooksContext } from "./context.js";
import { OutboundRefusedError, reasonOf } from "./outbound.js";
import { signatureHeaders } from "./sign.js";

type Delivery = Rows["deliveries"];

/** Specification: "Events". */
export const eventNames = [
  "database.backup.completed",
  "database.backup.failed",
  "vps.snapshot.completed",
] as const;
export type EventName = (typeof eventNames)[number];

/** Virtual milliseconds between attempts. Assumed: the specification gives none. */
const RETRY_AFTER_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000] as const;
const ATTEMPTS = RETRY_AFTER_MS.length + 1;

/** How many deliveries a tenant keeps beside pending ones; the oldest finished ones are deleted first. */
const MAX_DELIVERIES = 1_000;

/** How many it keeps together with pending ones; the oldest give way, since their receiver is gone. */
const MAX_WITH_PENDING = 10_000;

/** Notifies the tenant's webhooks that subscribe to the event. Specification: "Notification body". */
export function emitEvent(
  context: Context,
  transaction: Transaction,
  tenant: string,
  event: EventName,
  data: Readonly<Record<string, unknown>>,
): void {
  const body = JSON.stringify({ event, data });
  const webhooks = context.store.tables.webhooks.page(tenant, 0, Number.POSITIVE_INFINITY).rows;
  for (const webhook of webhooks.filter(({ events }) => events.includes(event))) {
    enqueueDelivery(context, transaction, tenant, { for: webhook.id, url: webhook.url, event, body });
  }
}

export function enqueueDelivery(
  context: Context,
  transaction: Transaction,
  tenant: string,
  what: Pick<Delivery, "for" | "url" | "event" | "body">,
): void {
  const { deliveries } = context.store.tables;
  const seq = deliveries.nextSeq(tenant);
  const surplus = deliveries.count(tenant) - MAX_DELIVERIES + 1;
  if (surplus > 0) {
    const finished = deliveries
      .page(tenant, 0, MAX_DELIVERIES)
      .rows.filter(({ status }) => status !== "pending");
    for (const { id } of finished.slice(0, surplus)) transaction.remove("deliveries", id);
    const excess = deliveries.count(tenant) - MAX_WITH_PENDING + 1;
    if (excess > 0)
      for (const { id } of deliveries.page(tenant, 0, excess).rows) transaction.remove("deliveries", id);
  }
  transaction.put("deliveries", {
    id: makeId("delivery", seq, context.random),
    tenant,
    seq,
    ...what,
    status: "pending",
    attempts: [],
    dueAt: context.clock.now(),
  });
}

/** Makes a due attempt. */
export function attemptDelivery(context: WebhooksContext, delivery: Delivery): void {
  const { id, tenant, body } = delivery;
  const target = targetOf(context, delivery);
  if ("reason" in target) {
    recordAttempt(context, id, { error: `Not sent: ${target.reason}.` }, false, false);
    return;
  }
  const { url, secret } = target;
  if (url !== delivery.url)
    context.store.write(tenant, (transaction) => transaction.put("deliveries", { ...delivery, url }));
  // The real time, because receivers compare it with their own clock.
  const signed =
    secret === undefined ? {} : signatureHeaders(secret, id, Math.floor(Date.now() / 1000), body);
  context.background.run(
    id,
    () => context.outbound.post(url, body, signed),
    ({ status }) => recordAttempt(context, id, { status_code: status }, status >= 200 && status < 300, true),
    (error) =>
      recordAttempt(context, id, { error: reasonOf(error) }, false, !(error instanceof OutboundRefusedError)),
  );
}

/**
 * Returns the present address and secret of a delivery's webhook or inbox. A former receiver then gets nothing signed
 * with the new secret, and cancelled deliveries are not sent.
 */
function targetOf({ store }: Context, { for: owner, event }: Delivery): Target | { readonly reason: string } {
  if (event === MAIL_EVENT) {
    const url = store.tables.inboxes.get(owner)?.webhook_url;
    return url === undefined ? { reason: "the inbox was deleted, or has expired" } : { url };
  }
  const webhook = store.tables.webhooks.get(owner);
  if (!webhook) return { reason: "the webhook was deleted" };
  return webhook.events.includes(event)
    ? webhook
    : { reason: `the webhook no longer subscribes to ${event}` };
}

interface Target {
  readonly url: string;
  readonly secret?: string;
}

function recordAttempt(
  context: Context,
  id: string,
  outcome: { status_code: number } | { error: string },
  isDelivered: boolean,
  mayRetry: boolean,
): void {
  const delivery = context.store.tables.deliveries.get(id);
  if (!delivery) return;
  const now = context.clock.now();
  const attempts = [...delivery.attempts, { at: timestamp(now), ...outcome }];
  const wait = mayRetry && attempts.length < ATTEMPTS ? RETRY_AFTER_MS[attempts.length - 1] : undefined;
  const status = isDelivered ? "delivered" : wait === undefined ? "failed" : "pending";
  const dueAt = status === "pending" && wait !== undefined ? now + wait : undefined;
  context.store.write(delivery.tenant, (transaction) =>
    transaction.put("deliveries", { ...delivery, attempts, status, dueAt }),
  );
}

/** The event name of mail pushes; the specification has none. */
export const MAIL_EVENT = "mail";
