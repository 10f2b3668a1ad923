import type { Link as RemoteLink } from "cloudservices-sdk";
import { given } from "../kernel/definition/changes.js";
import {
  hostname,
  isPast,
  sameHost,
  sameInstant,
  sameUrl,
  slug,
  targetUrl,
  text,
  timestamp,
} from "../kernel/definition/fields.js";
import { defineKind } from "../kernel/definition/kind.js";
import { IMMEDIATE } from "../kernel/definition/timeouts.js";
import { type Adoptable, type Args, resourceOf } from "../resource.js";

export interface LinkInputs {
  /** Where the link leads: an absolute URL of any scheme (`https:`, `mailto:`, an app's own) that is no script. Drift is seen. */
  url: string;
  /** A custom domain of yours. Without it, the service's default domain. */
  domain?: string | undefined;
  /** The path of the short URL. Without it, six letters and digits derived from the resource's name. */
  slug?: string | undefined;
  /** An internal label or campaign title. The service does not return it, so its drift cannot be seen. */
  title?: string | undefined;
  /** When the link stops working: an ISO 8601 time. The service does not return it, so its drift cannot be seen. */
  expiresAt?: string | undefined;
  /** A password that visitors must enter. Secret. The service does not return it, so its drift cannot be seen. */
  passcode?: string | undefined;
  /** The UTM source that the service appends to the URL. Its drift cannot be seen. */
  utmSource?: string | undefined;
}

export interface LinkOutputs {
  /** The short URL: `https://<domain>/<slug>`. */
  shortUrl: string;
  /** The address of the link's QR code, an SVG; it asks for the API key. */
  qrCodeUrl: string;
  /** Visits, as of the last refresh. */
  clicksCount: number;
  /** When the link was created: an ISO 8601 time. */
  createdAt: string;
  /** Whether a refresh found that the service had removed the link after its `expiresAt`. */
  expired: boolean;
}

/** Specification: "Link", "Create link body". */
export const link = defineKind<LinkInputs, LinkOutputs, RemoteLink>({
  name: "Link",
  inputs: {
    url: {
      schema: targetUrl(),
      onChange: "update",
      isEquivalent: sameUrl,
      from: (remote) => remote.destinationUrl,
    },
    domain: {
      schema: hostname(),
      onChange: "replace",
      optional: true,
      isEquivalent: sameHost,
      from: (remote) => remote.domain,
    },
    slug: { schema: slug(), onChange: "replace", optional: true, from: (remote) => remote.slug },
    title: { schema: text(), onChange: "update", optional: true },
    expiresAt: { schema: timestamp(), onChange: "update", optional: true, isEquivalent: sameInstant },
    passcode: { schema: text(), onChange: "update", optional: true, secret: true },
    utmSource: { schema: text(), onChange: "update", optional: true },
  },
  outputs: {
    shortUrl: { from: (remote) => remote.shortUrl },
    qrCodeUrl: { from: (remote) => remote.qrCodeUrl },
    clicksCount: { from: (remote) => remote.clicksCount },
    createdAt: { from: (remote) => remote.createdAt },
    expired: { from: () => false },
  },
  timeouts: IMMEDIATE,
  naming: {
    field: "slug",
    form: "hash",
    unique: true,
    createdAt: (remote) => remote.createdAt,
  },
  identity: {
    by: ["slug"],
    chosen: "domain",
    matches: (remote, inputs) =>
      remote.slug === inputs.slug &&
      (inputs.domain === undefined || sameHost(remote.domain ?? "", inputs.domain)),
  },
  documented: { list: true, probe: (api, id) => api.links.analytics(id) },

  id: (remote) => remote.id,
  create: (api, inputs) => api.links.create(inputs),
  read: (api, id) => api.links.get(id),
  list: (api, page) => api.links.list(page),
  update: (api, id, { url, domain: _domain, slug: _slug, ...rest }) =>
    api.links.update(id, { ...rest, ...given({ url }) }),
  delete: (api, id) => api.links.delete(id),
  afterRemoval: "As long as it exists, it redirects; links are free.",

  // A new link with the same end in the past would never work.
  mustReplace: (outputs, inputs, now) =>
    outputs["expired"] === true && !isPast(inputs["expiresAt"], now) ? ["expired"] : [],
  expired: (outputs, now) => (isPast(outputs["expiresAt"], now) ? { expired: true } : undefined),
});

export type LinkArgs = Args<LinkInputs> & Adoptable;

/**
 * A short link. Where the service removes it after its `expiresAt`, it stays in the state as `expired`; a later
 * `expiresAt`, or none, then plans a new link.
 *
 * @example
 * ```ts
 * const docs = new Link("docs", { url: "https://example.com/docs", title: "Documentation" });
 * export const address = docs.shortUrl;
 * ```
 */
export class Link extends resourceOf(link) {}
