import type * as pulumi from "@pulumi/pulumi";
import type { LinkAnalytics, ListedLink } from "cloudservices-sdk";
import type * as links from "../functions/links.js";
import { functions } from "../generated/signatures.js";
import { type Inputs, query } from "./query.js";

export type { GetLinkAnalyticsArgs, GetLinkQrCodeArgs, GetLinksArgs } from "../functions/links.js";
export type { LinkAnalytics, ListedLink };

const listed = query(functions.getLinks, async () => (await import("../functions/links.js")).getLinks);

/**
 * Returns the short links of the account, oldest first, with one request for each hundred.
 * Specification: "Link shortener"; that the items are whole links is assumed.
 */
export function getLinks(args?: links.GetLinksArgs): Promise<ListedLink[]> {
  return listed.promise(args);
}

/** Like {@link getLinks}, for outputs. */
export function getLinksOutput(args?: Inputs<links.GetLinksArgs>): pulumi.Output<ListedLink[]> {
  return listed.output(args);
}

const analytics = query(
  functions.getLinkAnalytics,
  async () => (await import("../functions/links.js")).getLinkAnalytics,
);

/** Returns the clicks on a link by source, country and device. Specification: "Link analytics". */
export function getLinkAnalytics(args: links.GetLinkAnalyticsArgs): Promise<LinkAnalytics> {
  return analytics.promise(args);
}

/** Like {@link getLinkAnalytics}, for outputs. */
export function getLinkAnalyticsOutput(
  args: Inputs<links.GetLinkAnalyticsArgs>,
): pulumi.Output<LinkAnalytics> {
  return analytics.output(args);
}

const qrCode = query(
  functions.getLinkQrCode,
  async () => (await import("../functions/links.js")).getLinkQrCode,
);

/** Returns the QR code of a link, as the text of an SVG image. Specification: "Link shortener". */
export function getLinkQrCode(args: links.GetLinkQrCodeArgs): Promise<string> {
  return qrCode.promise(args);
}

/** Like {@link getLinkQrCode}, for outputs. */
export function getLinkQrCodeOutput(args: Inputs<links.GetLinkQrCodeArgs>): pulumi.Output<string> {
  return qrCode.output(args);
}
