import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import Bowser from "bowser";
import { makeId } from "../../core/ids.js";
import { parsedUrl } from "../../core/parsed-url.js";
import { readBody } from "../../core/request-body.js";
import type { Rows } from "../../state/rows.js";
import { linkAddress } from "../../state/store.js";
import { linksOnDomain, parseLinkPath } from "./address.js";
import { storeClick } from "./clicks.js";
import type { LinksContext } from "./context.js";
import { brokenPage, expiredPage, missingPage, passcodePage } from "./pages.js";
import { visitorAddress } from "./visitor.js";

type Link = Rows["links"];

/** Handles a visit to a short link: checks its passcode, counts the click, and redirects. */
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
  // The API rejects such a target, but control can set it.
  if (parsedUrl(link.destination_url) === undefined) {
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
  // The default domain first, so that a custom domain cannot take over its links.
  const own = context.isOwnHost(host) ? at(asked.tenant, context.shortDomain) : undefined;
  if (own || host === context.shortDomain) return own;
  return linksOnDomain(links, host)
    .map(({ tenant, domain }) => at(tenant, domain))
    .find((link) => link !== undefined);
}

/** Specification: "The UTM source is appended automatically". Keeps one that the target already has. */
function destination(link: Pick<Link, "destination_url" | "utm_source">): string {
  const url = new URL(link.destination_url);
  // Unchanged, unless it holds characters that a header cannot carry.
  const plain = /^https?:\/\/[\x21-\x7e]*$/i.test(link.destination_url) ? link.destination_url : url.href;
  const isWeb = url.protocol === "http:" || url.protocol === "https:";
  if (!isWeb || link.utm_source === undefined || url.searchParams.has("utm_source")) return plain;
  // Appended as text, because parsing and serializing a query changes it.
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
  // It may have changed or been deleted during the lookup.
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
      // An address and a browser identify a visitor; only their hash is stored.
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
  const hostname = referer === undefined ? undefined : parsedUrl(referer)?.hostname;
  return hostname || "direct";
}

/** Command-line tools and other unknown clients count as desktops. */
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
    // No form-action: browsers would apply it to the redirect after the form.
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "cache-control": "no-store",
  });
  response.end(body);
}
