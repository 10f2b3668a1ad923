import type { LinkAnalytics, ListedLink } from "cloudservices-sdk";
import { z } from "zod";
import { integer, text } from "../kernel/definition/fields.js";
import { type ArgsOf, defineFunction } from "./define-function.js";

/** Returns the short links of the account, oldest first, with one request for each hundred. That the items are whole links is assumed. */
export const getLinks = defineFunction({
  name: "getLinks",
  args: {
    /** The largest number of links to return, oldest first. Default: all. */
    limit: integer(1, 1_000_000).optional(),
  },
  /** The links, oldest first. */
  result: "links",
  run: (service, { limit }): Promise<ListedLink[]> =>
    service()
      .links.list({ limit: Math.min(limit ?? 100, 100) })
      .toArray(limit === undefined ? {} : { limit }),
});

/** Which links to list. */
export interface GetLinksArgs extends ArgsOf<typeof getLinks> {}

const days = z.custom<`${number}d`>((value) => typeof value === "string" && /^[1-9]\d*d$/.test(value), {
  error: "must be a number of days such as 30d",
});

/** Returns the clicks on a link by source, country and device. */
export const getLinkAnalytics = defineFunction({
  name: "getLinkAnalytics",
  args: {
    /** The id of the link. */
    linkId: text(),
    /** A number of days such as `30d`. Default: the service's. */
    timeframe: days.optional(),
  },
  run: (service, { linkId, timeframe }): Promise<LinkAnalytics> =>
    service().links.analytics(linkId, { timeframe }),
});

/** Which clicks to count. */
export interface GetLinkAnalyticsArgs extends ArgsOf<typeof getLinkAnalytics> {}

const colour = () =>
  z
    .string({ error: "must be a string" })
    .regex(/^([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i, { error: "must be a hex colour without #" });

/** Returns the QR code of a link. */
export const getLinkQrCode = defineFunction({
  name: "getLinkQrCode",
  args: {
    /** The id of the link. */
    linkId: text(),
    /** The colour of the code, in hex without `#`. Default: the service's. */
    color: colour().optional(),
    /** The colour of the background, in hex without `#`. Default: the service's. */
    bg: colour().optional(),
    /** Width and height; that they are in pixels is assumed. Default: the service's. */
    size: integer(1, 100_000).optional(),
  },
  /** The text of an SVG image. */
  result: "svg",
  run: (service, { linkId, ...look }): Promise<string> => service().links.qrSvg(linkId, look),
});

/** The appearance of a QR code. */
export interface GetLinkQrCodeArgs extends ArgsOf<typeof getLinkQrCode> {}
