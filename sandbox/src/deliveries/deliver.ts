import { makeId } from "../identity.js";
import { timestamp } from "../state/clock.js";
import type { Rows } from "../state/rows.js";
import type { Transaction } from "../state/store.js";
import type { World } from "../world.js";
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

/** Virtual milliseconds between an attempt that failed and the next. Assumed: the specification gives none. */
const RETRY_AFTER_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000] as const;
const ATTEMPTS = RETRY_AFTER_MS.length + 1;

/** Deliveries that a tenant keeps, beside those that still wait: of the oldest, what is finished goes first. */
const KEPT = 1_000;

/** Notifies the tenant's webhooks that subscribe to the event. Specification: "Notification body". */
export function emit(
  world: World,
  transaction: Transaction,
  tenant: string,
  event: EventName,
  data: Readonly<Record<string, unknown>>,
): void {
  const body = JSON.stringify({ event, data });
  const webhooks = world.store.tables.webhooks.page(tenant, 0, Number.POSITIVE_INFINITY).rows;
  for (const webhook of webhooks.filter(({ events }) => events.includes(event))) {
    enqueue(world, transaction, tenant, { for: webhook.id, url: webhook.url, event, body });
  }
}

export function enqueue(
  world: World,
  transaction: Transaction,
  tenant: string,
  what: Pick<Delivery, "for" | "url" | "event" | "body">,
): void {
  const { deliveries } = world.store.tables;
  const seq = deliveries.nextSeq(tenant);
  const surplus = deliveries.count(tenant) - KEPT + 1;
  if (surplus > 0) {
    const finished = deliveries.page(tenant, 0, KEPT).rows.filter(({ status }) => status !== "pending");
    for (const { id } of finished.slice(0, surplus)) transaction.remove("deliveries", id);
  }
  transaction.put("deliveries", {
    id: makeId("delivery", seq, world.random),
    tenant,
    seq,
    ...what,
    status: "pending",
    attempts: [],
    dueAt: world.clock.now(),
  });
}

/** An attempt has become due. */
export function attempt(world: World, delivery: Delivery): void {
  const { id, tenant, body } = delivery;
  const target = targetOf(world, delivery);
  if ("gone" in target) {
    record(world, id, { error: `Nothing was sent: ${target.gone}.` }, false, false);
    return;
  }
  const { url, secret } = target;
  if (url !== delivery.url)
    world.store.write(tenant, (transaction) => transaction.put("deliveries", { ...delivery, url }));
  // Receivers compare the time of signing with their own clock, so it is the real one.
  const signed =
    secret === undefined ? {} : signatureHeaders(secret, id, Math.floor(Date.now() / 1000), body);
  world.works.run(
    id,
    () => world.outbound.post(url, body, signed),
    ({ status }) => record(world, id, { status_code: status }, status >= 200 && status < 300, true),
    (error) => record(world, id, { error: reasonOf(error) }, false, !(error instanceof OutboundRefusedError)),
  );
}

/**
 * Where a delivery goes, and under which secret: the present ones of its webhook or inbox, so that neither a former
 * receiver gets what is signed for the next, nor anybody what nobody wants any more.
 */
function targetOf({ store }: World, { for: owner, event }: Delivery): Target | { readonly gone: string } {
  if (event === MAIL_EVENT) {
    const url = store.tables.inboxes.get(owner)?.webhook_url;
    return url === undefined ? { gone: "the inbox was deleted, or has expired" } : { url };
  }
  const webhook = store.tables.webhooks.get(owner);
  if (!webhook) return { gone: "the webhook was deleted" };
  return webhook.events.includes(event) ? webhook : { gone: `the webhook no longer subscribes to ${event}` };
}

interface Target {
  readonly url: string;
  readonly secret?: string;
}

function record(
  world: World,
  id: string,
  outcome: { status_code: number } | { error: string },
  isDelivered: boolean,
  mayRetry: boolean,
): void {
  const delivery = world.store.tables.deliveries.get(id);
  if (!delivery) return;
  const now = world.clock.now();
  const attempts = [...delivery.attempts, { at: timestamp(now), ...outcome }];
  const wait = mayRetry && attempts.length < ATTEMPTS ? RETRY_AFTER_MS[attempts.length - 1] : undefined;
  const status = isDelivered ? "delivered" : wait === undefined ? "failed" : "pending";
  const dueAt = status === "pending" && wait !== undefined ? now + wait : undefined;
  world.store.write(delivery.tenant, (transaction) =>
    transaction.put("deliveries", { ...delivery, attempts, status, dueAt }),
  );
}

/** What the push of a mail is listed as; the specification names no event for it. */
export const MAIL_EVENT = "mail";
