import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { spf } from "mailauth/lib/spf/index.js";
import { invalid } from "../api/error.js";
import { enqueue, MAIL_EVENT } from "../deliveries/deliver.js";
import { makeId } from "../identity.js";
import { timestamp } from "../state/clock.js";
import type { Rows } from "../state/rows.js";
import type { World } from "../world.js";
import type { MailContent } from "./read.js";
import { readAside } from "./read-aside.js";
import { charactersOf, hasRoom, InboxFullError } from "./room.js";
import { resolverOf } from "./zone.js";

/** A mail as it arrived, with what the conversation around it said. */
export interface Envelope {
  readonly raw: Buffer;
  /** MAIL FROM; empty for a bounce. */
  readonly from: string;
  readonly to: readonly string[];
  readonly ip: string;
  readonly helo: string;
}

/** The inbox of an address, if it is alive. Upper and lower case are the same. */
export function inboxAt(world: World, address: string): Rows["inboxes"] | undefined {
  world.runDue();
  return world.store.tables.inboxes.some("address", address.toLowerCase());
}

/** Larger mails are refused. */
export const MAX_MAIL_BYTES = 10 * 1024 * 1024;

/**
 * Puts a mail into the inboxes that it is for; returns how many those were.
 *
 * @throws ApiError where the mail is too large or cannot be read; InboxFullError where no inbox takes it because one
 * is full.
 */
export async function receive(world: World, envelope: Envelope): Promise<number> {
  if (envelope.raw.length > MAX_MAIL_BYTES)
    throw invalid(
      `A mail may have at most ${MAX_MAIL_BYTES} bytes, and this one has ${envelope.raw.length}.`,
    );
  const content = await readAside(envelope.raw);
  const sender = content.sender ?? envelope.from;
  let received = 0;
  let full: string | undefined;
  for (const recipient of new Set(envelope.to.map((each) => each.toLowerCase()))) {
    const inbox = inboxAt(world, recipient);
    if (!inbox) continue;
    const verdicts = await verdictsOf(world, inbox.tenant, envelope);
    const headers = { ...content.headers, ...verdicts };
    const outcome = put(world, recipient, { ...content, sender, headers });
    if (outcome === "received") received++;
    else if (outcome === "full") full = recipient;
  }
  if (received === 0 && full !== undefined) throw new InboxFullError(full);
  return received;
}

type Content = MailContent & Pick<Rows["messages"], "sender">;

function put(world: World, recipient: string, content: Content): "received" | "expired" | "full" {
  // It may have expired while the verdicts were found.
  const inbox = inboxAt(world, recipient);
  if (!inbox) return "expired";
  if (!hasRoom(world.store, inbox.id, charactersOf(content))) return "full";
  const { tenant } = inbox;
  const seq = world.store.tables.messages.nextSeq(tenant);
  const message: Rows["messages"] = {
    id: makeId("msg", seq, world.random),
    tenant,
    seq,
    inbox: inbox.id,
    recipient,
    received_at: timestamp(world.clock.now()),
    ...content,
  };
  world.store.write(tenant, (transaction) => {
    transaction.put("messages", message);
    transaction.put("inboxes", { ...inbox, message_count: inbox.message_count + 1 });
    if (inbox.webhook_url !== undefined) {
      const body = JSON.stringify(pushOf(message));
      enqueue(world, transaction, tenant, { for: inbox.id, url: inbox.webhook_url, event: MAIL_EVENT, body });
    }
  });
  world.runDue();
  return "received";
}

/** What `webhook_url` receives. Assumed: the specification does not show it. */
function pushOf(message: Rows["messages"]): Record<string, unknown> {
  const { tenant: _tenant, seq: _seq, inbox, ...shown } = message;
  return { inbox_id: inbox, ...shown };
}

/** SPF and DKIM, checked for real against the records that the tenant's own zone holds. */
async function verdictsOf(
  world: World,
  tenant: string,
  { raw, from, ip, helo }: Envelope,
): Promise<{ SPF: string; DKIM: string }> {
  const resolver = resolverOf(world.store, tenant);
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
