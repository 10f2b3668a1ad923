import { z } from "zod";
import { invalid } from "../../core/errors.js";
import { emptyResponse, isoTimestamp, noBody, noParameters, outboundUrl } from "../../core/fields.js";
import { findRow } from "../../core/find-row.js";
import { makeId } from "../../core/ids.js";
import { operationsWith } from "../../core/operation.js";
import { page, pageQuery } from "../../core/paging.js";
import { timestamp } from "../../state/clock.js";
import type { Rows } from "../../state/rows.js";
import type { WebhooksContext } from "./context.js";
import { eventNames } from "./deliveries.js";

const operation = operationsWith<WebhooksContext>();

const url = outboundUrl.meta({ example: "https://example.com/hooks" });
const events = z
  .array(z.enum(eventNames))
  .min(1)
  .max(eventNames.length)
  .refine((names) => new Set(names).size === names.length, "expected each event once")
  .meta({ uniqueItems: true, example: ["database.backup.completed"] });
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** After `whsec_`, other text than base64 would leave the signing key ambiguous. */
const secret = z
  .string()
  .min(1)
  .max(256)
  .refine(
    (text) => !text.startsWith("whsec_") || (text.length > 6 && BASE64.test(text.slice(6))),
    "expected base64 after whsec_",
  )
  .meta({
    description: "Base64 after the prefix `whsec_` (assumed), or any other text.",
    example: "a-shared-secret",
  });

/** Specification: "Webhook registration". */
const createBody = z.strictObject({ url, events, secret });
const updateBody = z.strictObject({
  url: url.exactOptional(),
  events: events.exactOptional(),
  secret: secret.exactOptional(),
});

/** Assumed: the specification shows no body. Responses never include the secret. */
const webhook = z.strictObject({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  created_at: isoTimestamp,
});
const webhookSummary = webhook.pick({ id: true, url: true });

function show({ id, url, events, created_at }: Rows["webhooks"]): z.output<typeof webhook> {
  return { id, url, events: [...events], created_at };
}

/**
 * Specification: "HTTPS address that receives notifications". In the conventional profile, receivers on this machine
 * and on allowed hosts may use http, because they rarely have a certificate.
 */
function checkUrl(context: WebhooksContext, address: string | undefined): void {
  if (address === undefined) return;
  const { protocol, hostname } = new URL(address);
  if (protocol === "https:" || (context.profile === "conventional" && context.outbound.isNear(hostname)))
    return;
  throw invalid(`"url" must be an https address.`, "url");
}

export const webhookOperations = [
  operation({
    id: "createWebhook",
    summary: "Register a webhook",
    basis: "documented",
    method: "POST",
    path: "/webhooks",
    query: noParameters,
    body: createBody,
    success: 201,
    response: webhook,
    handle(call) {
      const { tenant, body, context } = call;
      checkUrl(context, body.url);
      const seq = context.store.tables.webhooks.nextSeq(tenant);
      const row: Rows["webhooks"] = {
        id: makeId("wh", seq, context.random),
        tenant,
        seq,
        ...body,
        created_at: timestamp(context.clock.now()),
      };
      call.write((transaction) => transaction.put("webhooks", row));
      return { data: show(row) };
    },
  }),
  operation({
    id: "listWebhooks",
    summary: "List webhooks, oldest first",
    basis: "assumed",
    method: "GET",
    path: "/webhooks",
    query: pageQuery("wh"),
    body: noBody,
    success: 200,
    response: z.array(z.union([webhook, webhookSummary])),
    handle: (call) => page(call, call.tables.webhooks, show, ({ id, url }) => ({ id, url })),
  }),
  operation({
    id: "getWebhook",
    summary: "Read a webhook",
    basis: "assumed",
    method: "GET",
    path: "/webhooks/:id",
    query: noParameters,
    body: noBody,
    success: 200,
    response: webhook,
    handle: (call) => ({ data: show(findRow(call, "webhooks", call.params.id)) }),
  }),
  operation({
    id: "updateWebhook",
    summary: "Change a webhook",
    basis: "assumed",
    method: "PATCH",
    path: "/webhooks/:id",
    query: noParameters,
    body: updateBody,
    success: 200,
    response: webhook,
    handle(call) {
      const { body, context } = call;
      const row = findRow(call, "webhooks", call.params.id);
      checkUrl(context, body.url);
      const changed: Rows["webhooks"] = { ...row, ...body };
      call.write((transaction) => transaction.put("webhooks", changed));
      return { data: show(changed) };
    },
  }),
  operation({
    id: "deleteWebhook",
    summary: "Delete a webhook",
    basis: "assumed",
    method: "DELETE",
    path: "/webhooks/:id",
    query: noParameters,
    body: noBody,
    success: 200,
    response: emptyResponse,
    handle(call) {
      const row = findRow(call, "webhooks", call.params.id);
      call.write((transaction) => transaction.remove("webhooks", row.id));
      return { data: {} };
    },
  }),
];
