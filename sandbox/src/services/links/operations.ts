import { z } from "zod";
import { conflict, notFound } from "../../core/errors.js";
import {
  emptyResponse,
  instant,
  integerParameter,
  isoTimestamp,
  noBody,
  noParameters,
  targetUrl,
} from "../../core/fields.js";
import { makeId, randomText } from "../../core/ids.js";
import { type Call, operationsWith } from "../../core/operation.js";
import { page, pageQuery } from "../../core/paging.js";
import { timestamp } from "../../state/clock.js";
import type { Rows } from "../../state/rows.js";
import { linkAddress } from "../../state/store.js";
import { isDefaultDomain, linksOnDomain, shortUrl } from "./address.js";
import { computeAnalytics } from "./analytics.js";
import type { LinksContext } from "./context.js";
import { qrCode } from "./qr-code.js";

const operation = operationsWith<LinksContext>();

const text = z.string().min(1).max(200);

/** Specification: "Create link body". The forms of `domain` and `slug` are assumed. */
const createBody = z.strictObject({
  url: targetUrl,
  domain: z
    .string()
    .max(253)
    .regex(
      /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(:([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?$/i,
      "expected a host name",
    )
    .optional()
    .meta({ example: "go.example.com" }),
  slug: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "expected 1 to 64 letters, digits, hyphens or underscores")
    .optional()
    .meta({ example: "welcome" }),
  title: text.optional(),
  expires_at: instant.optional(),
  passcode: text.optional(),
  utm_source: text.optional(),
});

const updateBody = z.strictObject({
  url: targetUrl.optional(),
  title: text.nullable().optional(),
  expires_at: instant.nullable().optional(),
  passcode: text.nullable().optional(),
  utm_source: text.nullable().optional(),
});

/** Specification: "Link". */
const link = z.strictObject({
  id: z.string(),
  short_url: z.string(),
  destination_url: z.string(),
  domain: z.string(),
  slug: z.string(),
  qr_code_url: z.string(),
  clicks_count: z.int(),
  created_at: isoTimestamp,
});
const linkSummary = link.pick({ id: true, short_url: true });

/** Specification: "Link analytics". */
const analytics = z.strictObject({
  total_clicks: z.int(),
  unique_visitors: z.int(),
  referrers: z.array(z.strictObject({ source: z.string(), clicks: z.int() })),
  countries: z.array(z.strictObject({ country_code: z.string(), name: z.string(), clicks: z.int() })),
  devices: z.strictObject({ mobile: z.int(), desktop: z.int(), tablet: z.int() }),
});

const colour = z.string().regex(/^([0-9a-f]{3}|[0-9a-f]{6})$/i, "expected a hex colour without #");
/** The defaults and the bounds of `size` are assumed. */
const qrQuery = z.strictObject({
  color: colour.default("000000"),
  bg: colour.default("ffffff"),
  size: integerParameter(64, 4096, 256),
});
/** Specification: a number followed by d. The default and bounds are assumed. */
const analyticsQuery = z.strictObject({
  timeframe: z
    .string()
    .regex(/^([1-9]\d{0,2}|[12]\d{3}|3[0-5]\d\d|36[0-4]\d|3650)d$/, "expected 1d to 3650d")
    .default("30d"),
});

function show(context: LinksContext, row: Rows["links"]): z.output<typeof link> {
  return {
    id: row.id,
    short_url: shortUrl(context.shortDomain, row),
    destination_url: row.destination_url,
    domain: row.domain,
    slug: row.slug,
    qr_code_url: `${context.baseUrl}/shortener/links/${row.id}/qr.svg`,
    clicks_count: row.clicks_count,
    created_at: row.created_at,
  };
}

function find(call: Call<string, unknown, unknown>, id: string): Rows["links"] {
  const row = call.tables.links.owned(call.tenant, id);
  if (!row) throw notFound("link", id);
  return row;
}

function freeSlug(call: Call<string, unknown, unknown>, domain: string): string {
  for (;;) {
    const slug = randomText(call.context.random, 6);
    if (!isTaken(call, domain, slug)) return slug;
  }
}

function isTaken(call: Call<string, unknown, unknown>, domain: string, slug: string): boolean {
  return (
    call.context.store.tables.links.some("address", linkAddress(call.tenant, domain, slug)) !== undefined
  );
}

/** Paths of the sandbox itself on the default short domain. */
const reserved = new Set(["v1", "_sandbox", "health"]);

export const linkOperations = [
  operation({
    id: "createLink",
    summary: "Create a short link",
    basis: "documented",
    method: "POST",
    path: "/shortener/links",
    query: noParameters,
    body: createBody,
    success: 201,
    response: link,
    handle(call) {
      const { tenant, body, context } = call;
      const domain = body.domain?.toLowerCase() ?? context.shortDomain;
      if (domain !== context.shortDomain) {
        if (isDefaultDomain(context, domain))
          throw conflict(`The domain "${domain}" is the sandbox's own; omit "domain" to use it.`, "domain");
        if (linksOnDomain(context.store.tables.links, domain).some((holder) => holder.tenant !== tenant))
          throw conflict(`The domain "${domain}" is already taken.`, "domain");
      }
      if (body.slug !== undefined && (isTaken(call, domain, body.slug) || reserved.has(body.slug))) {
        throw conflict(`The slug "${body.slug}" is already taken on ${domain}.`, "slug");
      }
      const seq = context.store.tables.links.nextSeq(tenant);
      const row: Rows["links"] = {
        id: makeId("link", seq, context.random),
        tenant,
        seq,
        destination_url: body.url,
        domain,
        slug: body.slug ?? freeSlug(call, domain),
        title: body.title,
        expires_at: body.expires_at,
        passcode: body.passcode,
        utm_source: body.utm_source,
        clicks_count: 0,
        created_at: timestamp(context.clock.now()),
      };
      call.write((transaction) => transaction.put("links", row));
      return { data: show(context, row) };
    },
  }),
  operation({
    id: "listLinks",
    summary: "List short links, oldest first",
    basis: "documented",
    method: "GET",
    path: "/shortener/links",
    query: pageQuery("link"),
    body: noBody,
    success: 200,
    response: z.array(z.union([link, linkSummary])),
    handle: (call) =>
      page(call.tables.links, call.tenant, call.query, (row) => {
        const shown = show(call.context, row);
        return call.context.summaryLists ? { id: shown.id, short_url: shown.short_url } : shown;
      }),
  }),
  operation({
    id: "getLink",
    summary: "Read a short link",
    basis: "assumed",
    method: "GET",
    path: "/shortener/links/:id",
    query: noParameters,
    body: noBody,
    success: 200,
    response: link,
    handle: (call) => ({ data: show(call.context, find(call, call.params.id)) }),
  }),
  operation({
    id: "updateLink",
    summary: "Change a short link; null clears a field",
    basis: "assumed",
    method: "PATCH",
    path: "/shortener/links/:id",
    query: noParameters,
    body: updateBody,
    success: 200,
    response: link,
    handle(call) {
      const row = find(call, call.params.id);
      const { url, title, expires_at, passcode, utm_source } = call.body;
      const changed: Rows["links"] = {
        ...row,
        ...(url !== undefined && { destination_url: url }),
        ...(title !== undefined && { title: title ?? undefined }),
        ...(expires_at !== undefined && { expires_at: expires_at ?? undefined }),
        ...(passcode !== undefined && { passcode: passcode ?? undefined }),
        ...(utm_source !== undefined && { utm_source: utm_source ?? undefined }),
      };
      call.write((transaction) => transaction.put("links", changed));
      return { data: show(call.context, changed) };
    },
  }),
  operation({
    id: "deleteLink",
    summary: "Delete a short link",
    basis: "assumed",
    method: "DELETE",
    path: "/shortener/links/:id",
    query: noParameters,
    body: noBody,
    success: 200,
    response: emptyResponse,
    handle(call) {
      const row = find(call, call.params.id);
      call.write((transaction) => {
        for (const click of call.context.store.tables.clicks.find("link", row.id))
          transaction.remove("clicks", click.id);
        transaction.remove("links", row.id);
      });
      return { data: {} };
    },
  }),
  operation({
    id: "getLinkAnalytics",
    summary: "Read a link's clicks over a timeframe",
    basis: "documented",
    method: "GET",
    path: "/shortener/links/:id/analytics",
    query: analyticsQuery,
    body: noBody,
    success: 200,
    response: analytics,
    handle(call) {
      const row = find(call, call.params.id);
      const since = call.context.clock.now() - Number.parseInt(call.query.timeframe, 10) * 86_400_000;
      return { data: computeAnalytics(call.tables.clicks.find("link", row.id), since) };
    },
  }),
  operation({
    id: "getLinkQrCode",
    summary: "The link's QR code",
    basis: "documented",
    method: "GET",
    path: "/shortener/links/:id/qr.svg",
    query: qrQuery,
    body: noBody,
    success: 200,
    response: z.string(),
    contentType: "image/svg+xml",
    async handle(call) {
      const row = find(call, call.params.id);
      return { data: await qrCode(shortUrl(call.context.shortDomain, row), call.query) };
    },
  }),
];
