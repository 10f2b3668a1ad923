import type { Rows } from "../../state/rows.js";
import type { Tables } from "../../state/store.js";
import type { LinksContext } from "./context.js";

/** The tenant whose links stand directly under the short domain. */
const HOME_TENANT = "local";

/**
 * The address at which a link can be followed. The specification writes `https://<domain>/<slug>`; on this machine
 * the default domain is the sandbox's own host and port over http, so that the link works. Links of other tenants
 * than `local` stand under `/~<tenant>/`, because each tenant has its own slugs. Links on a custom domain keep the
 * specification's form, and are answered when a request for that host reaches the sandbox.
 */
export function shortUrl(
  shortDomain: string,
  link: { tenant: string; domain: string; slug: string },
): string {
  if (link.domain !== shortDomain) return `https://${link.domain}/${link.slug}`;
  return link.tenant === HOME_TENANT
    ? `http://${shortDomain}/${link.slug}`
    : `http://${shortDomain}/~${link.tenant}/${link.slug}`;
}

/**
 * A link of each custom domain that a host can mean: of that host, and of its name without the port, which browsers
 * add where the sandbox does not listen on the usual one.
 */
export function linksOnDomain(links: Pick<Tables["links"], "some">, host: string): Array<Rows["links"]> {
  const domains = new Set([host, host.replace(PORT, "")]);
  return [...domains].flatMap((domain) => links.some("domain", domain) ?? []);
}

/** Whether the domain is but another name of the default one. */
export function isDefaultDomain(
  context: Pick<LinksContext, "shortDomain" | "isOwnHost">,
  domain: string,
): boolean {
  const port = PORT.exec(domain)?.[0];
  return context.isOwnHost(domain) && (port === undefined || port === PORT.exec(context.shortDomain)?.[0]);
}

const PORT = /:\d+$/;

/** Which link a request to the short domain means. */
export function parseLinkPath(path: string): { tenant: string; slug: string } | undefined {
  const match = /^\/(?:~([A-Za-z0-9_-]+)\/)?([A-Za-z0-9_-]+)$/.exec(decoded(path));
  return match?.[2] === undefined ? undefined : { tenant: match[1] ?? HOME_TENANT, slug: match[2] };
}

/** `%61` is `a` (RFC 3986, 6.2.2.2). What cannot be decoded leads nowhere. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
