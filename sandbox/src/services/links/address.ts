import type { Rows } from "../../state/rows.js";
import type { Tables } from "../../state/store.js";
import type { LinksContext } from "./context.js";

/** The tenant whose links are directly below the short domain. */
const HOME_TENANT = "local";

/**
 * Returns a link's short URL. The specification writes `https://<domain>/<slug>`. Here, the default domain is the
 * sandbox's own host and port over http, so that the link works. Each tenant has its own slugs, so links of tenants
 * other than `local` are below `/~<tenant>/`. Links on custom domains keep the specification's form and work when a
 * request with that host reaches the sandbox.
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
 * Returns one link of each custom domain that matches a host, with and without its port. Browsers add the port where
 * it is not the usual one.
 */
export function linksOnDomain(links: Pick<Tables["links"], "some">, host: string): Array<Rows["links"]> {
  const domains = new Set([host, host.replace(PORT, "")]);
  return [...domains].flatMap((domain) => links.some("domain", domain) ?? []);
}

/** Returns whether the domain is another name of the default one. */
export function isDefaultDomain(
  context: Pick<LinksContext, "shortDomain" | "isOwnHost">,
  domain: string,
): boolean {
  const port = PORT.exec(domain)?.[0];
  return context.isOwnHost(domain) && (port === undefined || port === PORT.exec(context.shortDomain)?.[0]);
}

const PORT = /:\d+$/;

/** Parses the path of a short link. */
export function parseLinkPath(path: string): { tenant: string; slug: string } | undefined {
  const match = /^\/(?:~([A-Za-z0-9_-]+)\/)?([A-Za-z0-9_-]+)$/.exec(decoded(path));
  return match?.[2] === undefined ? undefined : { tenant: match[1] ?? HOME_TENANT, slug: match[2] };
}

/** Decodes a path (`%61` is `a`, RFC 3986, 6.2.2.2); an invalid one matches no link. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}
