import type { Context } from "../../core/context.js";
import { invalid } from "../../core/errors.js";
import { makeId } from "../../core/ids.js";
import { timestamp } from "../../state/clock.js";
import type { Rows } from "../../state/rows.js";
import { createResolver } from "../dns/zone.js";
import { enqueueDelivery, MAIL_EVENT } from "../webhooks/deliveries.js";
import { contentLength, hasRoom, InboxFullError } from "./capacity.js";
import type { ParsedMail } from "./parse.js";
import { parseInWorker } from "./parse-in-worker.js";

/** A raw mail and its SMTP envelope. */
export interface Envelope {
  readonly raw: Buffer;
  /** MAIL FROM; empty for a bounce. */
  readonly from: string;
  readonly to: readonly string[];
  readonly ip: string;
  readonly helo: string;
}

/** Returns the live inbox of an address, ignoring case. */
export function findInbox(context: Context, address: string): Rows["inboxes"] | undefined {
  context.runDue();
  return context.store.tables.inboxes.some("address", address.toLowerCase());
}

/** Maximum size of a mail. */
export const MAX_MAIL_BYTES = 10 * 1024 * 1024;

/**
 * Stores a mail in its recipients' inboxes; returns in how many.
 * @throws ApiError where the mail is too large or cannot be parsed; InboxFullError where no inbox accepted it because
 * one is full.
 */
export async function receive(context: Context, envelope: Envelope): Promise<number> {
  if (envelope.raw.length > MAX_MAIL_BYTES)
    throw invalid(`The mail has ${envelope.raw.length} bytes; the maximum is ${MAX_MAIL_BYTES}.`);
  const content = await parseInWorker(envelope.raw);
  const sender = content.sender ?? envelope.from;
  // As Latin-1, in which each byte is one character.
  const raw = envelope.raw.toString("latin1");
  let received = 0;
  let full: string | undefined;
  for (const recipient of new Set(envelope.to.map((each) => each.toLowerCase()))) {
    const inbox = findInbox(context, recipient);
    if (!inbox) continue;
    const verdicts = await checkOrigin(context, inbox.tenant, envelope);
    const headers = { ...content.headers, ...verdicts };
    const outcome = storeMessage(context, recipient, { ...content, sender, headers, raw });
    if (outcome === "received") received++;
    else if (outcome === "full") full = recipient;
  }
  if (received === 0 && full !== undefined) throw new InboxFullError(full);
  return received;
}

type Content = ParsedMail & Pick<Rows["messages"], "sender" | "raw">;

function storeMessage(
  context: Context,
  recipient: string,
  content: Content,
): "received" | "expired" | "full" {
  // It may have expired during the checks.
  const inbox = findInbox(context, recipient);
  if (!inbox) return "expired";
  if (!hasRoom(context.store, inbox.id, contentLength(content))) return "full";
  const { tenant } = inbox;
  const seq = context.store.tables.messages.nextSeq(tenant);
  const message: Rows["messages"] = {
    id: makeId("msg", seq, context.random),
    tenant,
    seq,
    inbox: inbox.id,
    recipient,
    received_at: timestamp(context.clock.now()),
    ...content,
  };
  context.store.write(tenant, (transaction) => {
    transaction.put("messages", message);
    transaction.put("inboxes", { ...inbox, message_count: inbox.message_count + 1 });
    if (inbox.webhook_url !== undefined) {
      const body = JSON.stringify(pushBody(message));
      enqueueDelivery(context, transaction, tenant, {
        for: inbox.id,
        url: inbox.webhook_url,
        event: MAIL_EVENT,
        body,
      });
    }
  });
  context.runDue();
  return "received";
}

/** The body sent to `webhook_url`. Assumed: the specification does not show it. */
function pushBody(message: Rows["messages"]): Record<string, unknown> {
  const { tenant: _tenant, seq: _seq, raw: _raw, inbox, ...shown } = message;
  return { inbox_id: inbox, ...shown };
}

/** Checks SPF and DKIM against the tenant's zone. */
async function checkOrigin(
  context: Context,
  tenant: string,
  { raw, from, ip, helo }: Envelope,
): Promise<{ SPF: string; DKIM: string }> {
  const resolver = createResolver(context.store, tenant);
  // Loaded with the first mail: the library is large.
  const [{ spf }, { dkimVerify }] = await Promise.all([
    import("mailauth/lib/spf/index.js"),
    import("mailauth/lib/dkim/verify.js"),
  ]);
  const [origin, signatures] = await Promise.all([
    spf({ sender: from, ip, helo, mta: "sandbox.invalid", resolver }),
    dkimVerify(raw, { resolver }),
  ]);
  const results = signatures.results.map(({ status }) => status.result);
  return {
    SPF: origin === false ? "none" : origin.status.result,
    DKIM: results.includes("pass") ? "pass" : (results[0] ?? "none"),
  };
}
