import { z } from "zod";
import { invalid } from "../../core/errors.js";
import { emptyResponse, isoTimestamp, noBody, noParameters, outboundUrl } from "../../core/fields.js";
import { findRow } from "../../core/find-row.js";
import { makeId, randomText } from "../../core/ids.js";
import { operationsWith } from "../../core/operation.js";
import { page, pageQuery } from "../../core/paging.js";
import { timestamp } from "../../state/clock.js";
import type { Rows } from "../../state/rows.js";
import type { InboxesContext } from "./context.js";

const operation = operationsWith<InboxesContext>();

/**
 * Specification: "Create the service body". The form of `prefix` is assumed; two consecutive dots would make an
 * address that cannot receive mail (RFC 5321, 4.1.2).
 */
const createBody = z.strictObject({
  prefix: z
    .string()
    .max(40)
    .regex(
      /^[a-z0-9]((\.?[a-z0-9_-]){0,38}\.?[a-z0-9])?$/i,
      "expected 1 to 40 letters, digits, single dots, hyphens or underscores, with a letter or digit at both ends",
    )
    .optional()
    .meta({ example: "signup" }),
  domain: z.string().min(1).max(253).optional(),
  ttl_minutes: z.int().min(1).max(1440).optional().meta({ example: 60 }),
  webhook_url: outboundUrl.optional().meta({ example: "https://example.com/mail" }),
});

/** Specification: "the service". */
const inbox = z.strictObject({
  inbox_id: z.string(),
  email_address: z.string(),
  ttl_minutes: z.int(),
  expires_at: isoTimestamp,
  message_count: z.int(),
  created_at: isoTimestamp,
});
const inboxSummary = inbox.pick({ inbox_id: true, email_address: true });

/** Specification: "Message summary". `otp_code` is absent if none is found (assumed). */
const messageSummary = z.strictObject({
  id: z.string(),
  sender: z.string(),
  subject: z.string(),
  snippet: z.string(),
  otp_code: z.string().optional(),
  received_at: isoTimestamp,
  has_attachments: z.boolean(),
});

/** Specification: "Message detail". */
const messageDetail = z.strictObject({
  id: z.string(),
  sender: z.string(),
  recipient: z.string(),
  subject: z.string(),
  html_body: z.string(),
  text_body: z.string(),
  parsed_links: z.array(z.string()),
  otp_code: z.string().optional(),
  headers: z.record(z.string(), z.string()),
});

function show(row: Rows["inboxes"]): z.output<typeof inbox> {
  const { id, email_address, ttl_minutes, expires_at, message_count, created_at } = row;
  return { inbox_id: id, email_address, ttl_minutes, expires_at, message_count, created_at };
}

export const tempmailOperations = [
  operation({
    id: "createInbox",
    summary: "Create an inbox that expires by itself",
    basis: "documented",
    method: "POST",
    path: "/tempmail/inboxes",
    query: noParameters,
    body: createBody,
    success: 201,
    response: inbox,
    handle(call) {
      const { tenant, body, context } = call;
      const domain = body.domain?.toLowerCase() ?? context.mailDomains[0] ?? "";
      if (!context.mailDomains.includes(domain)) {
        throw invalid(`"domain" must be one of ${context.mailDomains.join(", ")}.`, "domain");
      }
      const now = context.clock.now();
      const ttl = body.ttl_minutes ?? 60;
      const expires = now + ttl * 60_000;
      const seq = context.store.tables.inboxes.nextSeq(tenant);
      const local = [body.prefix?.toLowerCase(), randomText(context.random, 10)]
        .filter((part) => part)
        .join("-");
      const row: Rows["inboxes"] = {
        id: makeId("inbox", seq, context.random),
        tenant,
        seq,
        email_address: `${local}@${domain}`,
        ttl_minutes: ttl,
        expires_at: timestamp(expires),
        webhook_url: body.webhook_url,
        message_count: 0,
        created_at: timestamp(now),
        dueAt: expires,
      };
      call.write((transaction) => transaction.put("inboxes", row));
      return { data: show(row) };
    },
  }),
  operation({
    id: "listInboxes",
    summary: "List inboxes, oldest first",
    basis: "assumed",
    method: "GET",
    path: "/tempmail/inboxes",
    query: pageQuery("inbox"),
    body: noBody,
    success: 200,
    response: z.array(z.union([inbox, inboxSummary])),
    handle: (call) =>
      page(call, call.tables.inboxes, show, ({ inbox_id, email_address }) => ({ inbox_id, email_address })),
  }),
  operation({
    id: "getInbox",
    summary: "Read an inbox",
    basis: "assumed",
    method: "GET",
    path: "/tempmail/inboxes/:inbox_id",
    query: noParameters,
    body: noBody,
    success: 200,
    response: inbox,
    handle: (call) => ({ data: show(findRow(call, "inboxes", call.params.inbox_id)) }),
  }),
  operation({
    id: "deleteInbox",
    summary: "Delete an inbox and its messages",
    basis: "assumed",
    method: "DELETE",
    path: "/tempmail/inboxes/:inbox_id",
    query: noParameters,
    body: noBody,
    success: 200,
    response: emptyResponse,
    handle(call) {
      const row = findRow(call, "inboxes", call.params.inbox_id);
      call.write((transaction) => {
        for (const message of call.context.store.tables.messages.find("inbox", row.id)) {
          transaction.remove("messages", message.id);
        }
        transaction.remove("inboxes", row.id);
      });
      return { data: {} };
    },
  }),
  operation({
    id: "listMessages",
    summary: "List the messages of an inbox, newest first",
    basis: "documented",
    method: "GET",
    path: "/tempmail/inboxes/:inbox_id/messages",
    query: noParameters,
    body: noBody,
    success: 200,
    response: z.array(messageSummary),
    handle(call) {
      const row = findRow(call, "inboxes", call.params.inbox_id);
      const messages = call.tables.messages.find("inbox", row.id).sort((a, b) => b.seq - a.seq);
      return {
        data: messages.map(({ id, sender, subject, snippet, otp_code, received_at, has_attachments }) => ({
          id,
          sender,
          subject,
          snippet,
          ...(otp_code !== undefined && { otp_code }),
          received_at,
          has_attachments,
        })),
      };
    },
  }),
  operation({
    id: "getMessage",
    summary: "Read a message",
    basis: "documented",
    method: "GET",
    path: "/tempmail/messages/:message_id",
    query: noParameters,
    body: noBody,
    success: 200,
    response: messageDetail,
    handle(call) {
      const row = findRow(call, "messages", call.params.message_id);
      const { id, sender, recipient, subject, html_body, text_body, parsed_links, otp_code, headers } = row;
      return {
        data: {
          id,
          sender,
          recipient,
          subject,
          html_body,
          text_body,
          parsed_links,
          ...(otp_code !== undefined && { otp_code }),
          headers,
        },
      };
    },
  }),
];
