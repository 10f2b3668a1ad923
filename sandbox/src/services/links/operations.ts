import { z } from "zod";
import { conflict } from "../../core/errors.js";
import { emptyResponse, noBody, noParameters } from "../../core/fields.js";
import { findRow } from "../../core/find-row.js";
import { makeId } from "../../core/ids.js";
import { operationsWith } from "../../core/operation.js";
import { page, pageQuery } from "../../core/paging.js";
import { timestamp } from "../../state/clock.js";
import type { Rows } from "../../state/rows.js";
import { isDefaultDomain, linksOnDomain, shortUrl } from "./address.js";
import { computeAnalytics } from "./analytics.js";
import type { LinksContext } from "./context.js";
import { qrCode } from "./qr-code.js";
import { analytics, analyticsQuery, createBody, link, linkSummary, qrQuery, updateBody } from "./schemas.js";
import { freeSlug, isTaken } from "./slugs.js";

const operation = operationsWith<LinksContext>();

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
      if (body.slug !== undefined && isTaken(call, domain, body.slug)) {
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
      page(
        call,
        call.tables.links,
        (row) => show(call.context, row),
        ({ id, short_url }) => ({ id, short_url }),
      ),
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
    handle: (call) => ({ data: show(call.context, findRow(call, "links", call.params.id)) }),
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
      const row = findRow(call, "links", call.params.id);
      const { url, ...fields } = call.body;
      const changed: Rows["links"] = {
        ...row,
        ...fields,
        ...(url !== undefined && { destination_url: url }),
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
      const row = findRow(call, "links", call.params.id);
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
      const row = findRow(call, "links", call.params.id);
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
      const row = findRow(call, "links", call.params.id);
      return { data: await qrCode(shortUrl(call.context.shortDomain, row), call.query) };
    },
  }),
];
