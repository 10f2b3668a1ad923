import type { ListedLink as RemoteLink } from "cloudservices-sdk";
import type { Adoptable, Args } from "../args.js";
import { given } from "../kernel/definition/changes.js";
import { type InputsOf, kindOf, type OutputsOf } from "../kernel/definition/define-kind.js";
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
import { IMMEDIATE } from "../kernel/definition/timeouts.js";

const { defineKind, input, optionalInput, output } = kindOf<RemoteLink>();

/** Specification: "Link", "Create link body". */
export const link = defineKind({
  name: "Link",
  inputs: {
    /** The target: an absolute URL of any scheme, such as `https:` or `mailto:`, except scripts. Drift is detected. */
    url: input(targetUrl(), {
      onChange: "update",
      isEquivalent: sameUrl,
      from: (remote) => remote.destinationUrl,
    }),
    /** Your own domain. Default: the service's domain. Drift is detected. */
    domain: optionalInput(hostname(), {
      onChange: "replace",
      isEquivalent: sameHost,
      from: (remote) => remote.domain,
    }),
    /** The path of the short URL. Default: six letters and digits derived from the resource's name. Drift is detected. */
    slug: optionalInput(slug(), { onChange: "replace", from: (remote) => remote.slug }),
    /** An internal label or campaign title. Not returned, so its drift cannot be detected. */
    title: optionalInput(text(), { onChange: "update" }),
    /** When the link expires: an ISO 8601 time. Not returned, so its drift cannot be detected. */
    expiresAt: optionalInput(timestamp(), { onChange: "update", isEquivalent: sameInstant }),
    /** A password that visitors must enter. Secret. Not returned, so its drift cannot be detected. */
    passcode: optionalInput(text(), { onChange: "update", secret: true }),
    /** The UTM source that the service appends to the URL. Not returned, so its drift cannot be detected. */
    utmSource: optionalInput(text(), { onChange: "update" }),
  },
  outputs: {
    /** The short URL: `https://<domain>/<slug>`. */
    shortUrl: output((remote) => remote.shortUrl, { changesWith: [] }),
    /** The URL of the link's QR code as SVG; it requires the API key. */
    qrCodeUrl: output((remote) => remote.qrCodeUrl, { changesWith: [] }),
    /** The number of visits at the last refresh. */
    clicksCount: output((remote) => remote.clicksCount),
    /** When the link was created: an ISO 8601 time. */
    createdAt: output((remote) => remote.createdAt, { changesWith: [] }),
    /** Whether a refresh found that the service had removed the link after its `expiresAt`. */
    expired: output(() => false, { changesWith: [] }),
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
  afterRemoval: "While it exists, it redirects; links are free.",

  // A new link with the same expiry in the past would never work.
  mustReplace: (outputs, inputs, now) =>
    outputs["expired"] === true && !isPast(inputs["expiresAt"], now) ? ["expired"] : [],
  expired: (outputs, now) => (isPast(outputs["expiresAt"], now) ? { expired: true } : undefined),
});

export interface LinkInputs extends InputsOf<typeof link> {}
export interface LinkOutputs extends OutputsOf<typeof link> {}

export type LinkArgs = Args<LinkInputs> & Adoptable;
