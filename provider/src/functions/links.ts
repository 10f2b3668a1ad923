import type * as pulumi from "@pulumi/pulumi";
import type { LinkAnalytics, Link as ListedLink } from "cloudservices-sdk";
import { z } from "zod";
import { integer, text } from "../kernel/definition/fields.js";
import { type Inputs, query } from "./query.js";

export type { LinkAnalytics, ListedLink };

/** Which links to list. */
export interface GetLinksArgs {
  /** The largest number of links to return, oldest first. Default: all. */
  readonly limit?: number | undefined;
}

const links = query({
  name: "getLinks",
  args: { limit: integer(1, 1_000_000).optional() },
  run: (service, { limit }): Promise<ListedLink[]> =>
    service()
      .links.list({ limit: Math.min(limit ?? 100, 100) })
      .toArray(limit === undefined ? {} : { limit }),
});

/**
 * Returns the short links of the account, oldest first, with one request for each hundred.
 * Specification: "Link shortener"; that the items are whole links is assumed.
 */
export function getLinks(args?: GetLinksArgs): Promise<ListedLink[]> {
  return links.promise(args);
}

/** Like {@link getLinks}, for outputs. */
export function getLinksOutput(args?: Inputs<GetLinksArgs>): pulumi.Output<ListedLink[]> {
  return links.output(args);
}

/** Which clicks to count. */
export interface GetLinkAnalyticsArgs {
  readonly linkId: string;
  /** A number of days such as `30d`. Default: the service's. */
  readonly timeframe?: `${number}d` | undefined;
}

const days = z.custom<`${number}d`>((value) => typeof value === "string" && /^[1-9]\d*d$/.test(value), {
  error: "must be a number of days such as 30d",
});

const analytics = query({
  name: "getLinkAnalytics",
  args: { linkId: text(), timeframe: days.optional() },
  run: (service, { linkId, timeframe }): Promise<LinkAnalytics> =>
    service().links.analytics(linkId, { timeframe }),
});

/** Returns the clicks on a link by source, country and device. Specification: "Link analytics". */
export function getLinkAnalytics(args: GetLinkAnalyticsArgs): Promise<LinkAnalytics> {
  return analytics.promise(args);
}

/** Like {@link getLinkAnalytics}, for outputs. */
export function getLinkAnalyticsOutput(args: Inputs<GetLinkAnalyticsArgs>): pulumi.Output<LinkAnalytics> {
  return analytics.output(args);
}

/** The appearance of a QR code. */
export interface GetLinkQrCodeArgs {
  readonly linkId: string;
  /** The colour of the code, in hex without `#`. Default: the service's. */
  readonly color?: string | undefined;
  /** The colour of the background, in hex without `#`. Default: the service's. */
  readonly bg?: string | undefined;
  /** Width and height; that they are in pixels is assumed. Default: the service's. */
  readonly size?: number | undefined;
}

const colour = () =>
  z
    .string({ error: "must be a string" })
    .regex(/^([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i, { error: "must be a hex colour without #" });

const qrCode = query({
  name: "getLinkQrCode",
  args: {
    linkId: text(),
    color: colour().optional(),
    bg: colour().optional(),
    size: integer(1, 100_000).optional(),
  },
  run: (service, { linkId, ...look }): Promise<string> => service().links.qrSvg(linkId, look),
});

/** Returns the QR code of a link, as the text of an SVG image. Specification: "Link shortener". */
export function getLinkQrCode(args: GetLinkQrCodeArgs): Promise<string> {
  return qrCode.promise(args);
}

/** Like {@link getLinkQrCode}, for outputs. */
export function getLinkQrCodeOutput(args: Inputs<GetLinkQrCodeArgs>): pulumi.Output<string> {
  return qrCode.output(args);
}
