import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { spf } from "mailauth/lib/spf/index.js";
import PostalMime, { type Address, type Email } from "postal-mime";
import { invalid } from "../api/error.js";
import { enqueue, MAIL_EVENT } from "../deliveries/deliver.js";
import { makeId } from "../identity.js";
import { timestamp } from "../state/clock.js";
import type { Rows } from "../state/rows.js";
import type { World } from "../world.js";
import { linksOf, otpOf, snippetOf } from "./content.js";
import { readHtml } from "./html.js";
import { resolverOf } from "./zone.js";

/** Common mail servers refuse longer ones too, and the time that a check of DKIM takes grows faster than the head. */
const MAX_HEAD_BYTES = 102_400;

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

/**
 * Puts a mail into the inboxes that it is for; tells how many those were.
 *
 * @throws ApiError where the mail is none that can be read.
 */
export async function receive(world: World, envelope: Envelope): Promise<number> {
  const parsed = await parse(envelope.raw);
  const html = parsed.html ?? "";
  const seen = readHtml(html);
  const text = parsed.text?.trimEnd() ?? seen.text;
  const subject = parsed.subject ?? "";
  const content = {
    sender: addressOf(parsed.from) ?? envelope.from,
    subject,
    snippet: snippetOf(text),
    html_body: html,
    text_body: text,
    parsed_links: linksOf(text, seen.links),
    otp_code: otpOf(subject, text),
    has_attachments: parsed.attachments.length > 0,
  };
  const shown = {
    "Message-ID": parsed.messageId ?? "",
    ...(parsed.date !== undefined && { Date: parsed.date }),
    Subject: subject,
  };
  let received = 0;
  for (const recipient of new Set(envelope.to.map((each) => each.toLowerCase()))) {
    const inbox = inboxAt(world, recipient);
    if (!inbox) continue;
    const verdicts = await verdictsOf(world, inbox.tenant, envelope);
    received += put(world, recipient, { ...content, headers: { ...shown, ...verdicts } }) ? 1 : 0;
  }
  return received;
}

async function parse(raw: Buffer): Promise<Email> {
  if (headOf(raw) > MAX_HEAD_BYTES)
    throw invalid(`The mail cannot be read: its head has more than ${MAX_HEAD_BYTES} bytes.`);
  try {
    return await PostalMime.parse(raw);
  } catch (error) {
    throw invalid(`The mail cannot be read: ${error instanceof Error ? error.message : "it is no mail"}.`);
  }
}

/** The length of what stands above the first empty line. */
function headOf(raw: Buffer): number {
  const ends = ["\r\n\r\n", "\n\n"].map((end) => raw.indexOf(end)).filter((at) => at >= 0);
  return Math.min(raw.length, ...ends);
}

type Content = Pick<
  Rows["messages"],
  | "sender"
  | "subject"
  | "snippet"
  | "html_body"
  | "text_body"
  | "parsed_links"
  | "otp_code"
  | "has_attachments"
  | "headers"
>;

function put(world: World, recipient: string, content: Content): boolean {
  // It may have expired while the verdicts were found.
  const inbox = inboxAt(world, recipient);
  if (!inbox) return false;
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
  return true;
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

function addressOf(address: Address | undefined): string | undefined {
  return address?.address === "" ? undefined : address?.address;
}
