import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import Bowser from "bowser";
import { makeId } from "../../core/ids.js";
import { readBody } from "../../core/request-body.js";
import type { Rows } from "../../state/rows.js";
import { linkAddress } from "../../state/store.js";
import { linksOnDomain, parseLinkPath } from "./address.js";
import { storeClick } from "./clicks.js";
import type { LinksContext } from "./context.js";
import { brokenPage, expiredPage, missingPage, passcodePage } from "./pages.js";
import { visitorAddress } from "./visitor.js";

type Link = Rows["links"];

/** A visit to a short link: asks for its passcode, counts, and sends the visitor on. */
export async function followLink(
  context: LinksContext,
  durable: () => Promise<void>,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  host: string,
): Promise<void> {
  const body = await readBody(request);
  if (!["GET", "HEAD", "POST"].includes(request.method ?? "")) {
    html(response, 405, missingPage());
    return;
  }
  const link = findLink(context, host, url.pathname);
  if (!link) {
    html(response, 404, missingPage());
    return;
  }
  if (link.expires_at !== undefined && Date.parse(link.expires_at) <= context.clock.now()) {
    html(response, 410, expiredPage());
    return;
  }
  if (link.passcode !== undefined) {
    const given = request.method === "POST" ? new URLSearchParams(body?.toString()).get("passcode") : null;
    if (given === null || !isEqual(given, link.passcode)) {
      html(response, given === null ? 200 : 403, passcodePage(given !== null));
      return;
    }
  } else if (request.method === "POST") {
    html(response, 405, missingPage());
    return;
  }
  // The API refuses such a target, but control can set any.
  if (!URL.canParse(link.destination_url)) {
    html(response, 404, brokenPage());
    return;
  }
  if (request.method !== "HEAD") {
    await countClick(context, link, request);
    await durable();
  }
  response.writeHead(request.method === "POST" ? 303 : 302, {
    location: destination(link),
    "cache-control": "no-store",
    "referrer-policy": "unsafe-url",
  });
  response.end();
}

function findLink(context: LinksContext, host: string, path: string): Link | undefined {
  const asked = parseLinkPath(path);
  if (!asked) return undefined;
  const { links } = context.store.tables;
  const at = (tenant: string, domain: string) =>
    links.some("address", linkAddress(tenant, domain, asked.slug));
  // The default domain first: whatever domain somebody claims, nobody's links are taken over with it.
  const own = context.isOwnHost(host) ? at(asked.tenant, context.shortDomain) : undefined;
  if (own || host === context.shortDomain) return own;
  return linksOnDomain(links, host)
    .map(({ tenant, domain }) => at(tenant, domain))
    .find((link) => link !== undefined);
}

/** Specification: "The UTM source is appended automatically". One that the target already has is kept. */
function destination(link: Pick<Link, "destination_url" | "utm_source">): string {
  const url = new URL(link.destination_url);
  // As it was written, unless it holds what cannot stand in a header, or would be read as a path there.
  const plain = /^https?:\/\/[\x21-\x7e]*$/i.test(link.destination_url) ? link.destination_url : url.href;
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  if (!isWeb || link.utm_source === undefined || url.searchParams.has("utm_source")) return plain;
  // Added to the text: a query that is taken apart and put together again is another one.
  const [target = "", ...hash] = plain.split(/(?=#)/);
  const separator = !target.includes("?") ? "?" : /[?&]$/.test(target) ? "" : "&";
  const path = /^https?:\/\/[^/?]*$/i.test(target) ? "/" : "";
  const parameter = new URLSearchParams({ utm_source: link.utm_source }).toString();
  return [target, path, separator, parameter, ...hash].join("");
}

async function countClick(
  context: LinksContext,
  { id, tenant }: Link,
  request: IncomingMessage,
): Promise<void> {
  const agent = request.headers["user-agent"] ?? "";
  const address = visitorAddress(request.socket.remoteAddress ?? "", request.headers["x-forwarded-for"]);
  const known = await context.ipDirectory.find(tenant, address);
  const { tables } = context.store;
  // It may have been visited, changed or deleted while the address was looked up.
  const link = tables.links.owned(tenant, id);
  if (!link) return;
  context.store.write(tenant, (transaction) => {
    const seq = tables.clicks.nextSeq(tenant);
    storeClick(tables, transaction, {
      id: makeId("click", seq, context.random),
      tenant,
      seq,
      link: id,
      at: context.clock.now(),
      // A visitor is an address and a browser; only a hash of them is kept.
      visitor: createHash("sha256").update(`${address}\n${agent}`).digest("base64url").slice(0, 16),
      source: sourceOf(request.headers.referer),
      device: deviceOf(agent),
      country: known && { code: known.country_code, name: known.country_name },
    });
    transaction.put("links", { ...link, clicks_count: link.clicks_count + 1 });
  });
}

/** Specification: "a host name or the word direct". */
function sourceOf(referer: string | undefined): string {
  if (referer === undefined || !URL.canParse(referer)) return "direct";
  return new URL(referer).hostname || "direct";
}

/** What is neither a phone nor a tablet counts as a desktop, command-line tools too. */
function deviceOf(agent: string): "mobile" | "desktop" | "tablet" {
  if (agent === "") return "desktop";
  const type = Bowser.parse(agent).platform.type;
  return type === "mobile" || type === "tablet" ? type : "desktop";
}

function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

function html(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    // No form-action: browsers hold it against the redirect that follows the form, which leads elsewhere.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "cache-control": "no-store",
  });
  response.end(body);
}
