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

/** Which link a request to the short domain means. */
export function linkPath(path: string): { tenant: string; slug: string } | undefined {
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
