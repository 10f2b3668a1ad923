import { z } from "zod";
import type { Api } from "../core/api.js";
import type { ApiPromise } from "../core/api-promise.js";
import { nothing, operation } from "../core/operation.js";
import type { ListPromise } from "../core/pages.js";
import type { RequestOptions } from "../core/request-options.js";
import { identifier } from "../core/wire.js";
import { absoluteUrl, instant, type ListInput, listInput, text } from "./fields.js";

const link = z.object({
  /** The id of the link. */
  id: identifier(),
  /** The short URL: `https://<domain>/<slug>`. */
  shortUrl: z.string().optional(),
  /** The target of the link. */
  destinationUrl: z.string().optional(),
  /** The domain of the short URL. */
  domain: z.string().optional(),
  /** The path of the short URL. */
  slug: z.string().optional(),
  /** The address of the QR code as SVG. Requests for it need the API key. */
  qrCodeUrl: z.string().optional(),
  /** The number of visits. */
  clicksCount: z.int().optional(),
  /** When the link was created: ISO 8601, UTC. */
  createdAt: z.string().optional(),
  /** The internal label. Not shown by the specification. */
  title: z.string().optional(),
  /** When the link expires: ISO 8601, UTC. Not shown by the specification. */
  expiresAt: z.string().optional(),
  /** The UTM source that the service appends to the target. Not shown by the specification. */
  utmSource: z.string().optional(),
});

const changeable = {
  /** Internal label or campaign title. `null` clears it. */
  title: z.string().nullable().optional(),
  /** When the link expires. `null` clears it. */
  expiresAt: instant().nullable().optional(),
  /** Every visitor must enter it. Never in logs or errors. `null` clears it. */
  passcode: text().nullable().optional(),
  /** Appended to the target as `utm_source`. `null` clears it. */
  utmSource: z.string().nullable().optional(),
};

const create = operation({
  call: "links.create",
  basis: "documented",
  method: "POST",
  path: "/shortener/links",
  section: "Link shortener, Create link body",
  input: z.strictObject({
    /** The target of the link. */
    url: absoluteUrl(),
    /** Custom domain. Default: the service's own short domain. */
    domain: text().optional(),
    /** Custom alias. Default: 6 random characters. */
    slug: text().optional(),
    /** Internal label or campaign title. */
    title: z.string().optional(),
    /** When the link expires. */
    expiresAt: instant().optional(),
    /** Every visitor must enter it. Never in logs or errors. */
    passcode: text().optional(),
    /** Appended to the target as `utm_source`. */
    utmSource: z.string().optional(),
  }),
  response: link,
});

const list = operation({
  call: "links.list",
  basis: "documented",
  method: "GET",
  path: "/shortener/links",
  section: "Link shortener",
  input: listInput,
  response: z.array(link),
});

const get = operation({
  call: "links.get",
  basis: "assumed",
  method: "GET",
  path: "/shortener/links/:id",
  section: "Gaps in endpoints: read single resources",
  input: nothing,
  response: link,
});

const update = operation({
  call: "links.update",
  basis: "assumed",
  method: "PATCH",
  path: "/shortener/links/:id",
  section: "Gaps in endpoints: update single resources",
  input: z.strictObject({
    /** The target of the link. */
    url: absoluteUrl().optional(),
    ...changeable,
  }),
  response: link,
});

const remove = operation({
  call: "links.delete",
  basis: "assumed",
  method: "DELETE",
  path: "/shortener/links/:id",
  section: "Gaps in endpoints: delete single resources",
  input: nothing,
  response: nothing,
  kind: "nothing",
});

const analytics = operation({
  call: "links.analytics",
  basis: "documented",
  method: "GET",
  path: "/shortener/links/:id/analytics",
  section: "Link analytics",
  input: z
    .strictObject({
      /** A number of days, e.g. `30d`. */
      timeframe: z.templateLiteral([z.number(), "d"], "expected a number of days, e.g. 30d").optional(),
    })
    .optional(),
  response: z.object({
    /** The number of all clicks. */
    totalClicks: z.int().optional(),
    /** The number of different visitors. */
    uniqueVisitors: z.int().optional(),
    /** The clicks by origin. */
    referrers: z
      .array(
        z.object({
          /** The origin of the visitors: a host name, or `direct`. */
          source: z.string().optional(),
          /** The number of clicks from there. */
          clicks: z.int().optional(),
        }),
      )
      .optional(),
    /** The clicks by country. */
    countries: z
      .array(
        z.object({
          /** The two-letter country code. */
          countryCode: z.string().optional(),
          /** The name of the country. */
          name: z.string().optional(),
          /** The number of clicks from there. */
          clicks: z.int().optional(),
        }),
      )
      .optional(),
    /** The clicks by device. */
    devices: z
      .object({
        /** The number of clicks on phones. */
        mobile: z.int().optional(),
        /** The number of clicks on desktop computers. */
        desktop: z.int().optional(),
        /** The number of clicks on tablets. */
        tablet: z.int().optional(),
      })
      .optional(),
  }),
});

const hexColour = () =>
  z
    .string()
    .regex(
      /^([0-9a-f]{3}|[0-9a-f]{4}|[0-9a-f]{6}|[0-9a-f]{8})$/i,
      "expected a hex colour without #, e.g. 1a2b3c",
    );

const qrSvg = operation({
  call: "links.qrSvg",
  basis: "documented",
  method: "GET",
  path: "/shortener/links/:id/qr.svg",
  section: "Link shortener",
  input: z
    .strictObject({
      /** Hex colour of the code, without `#`. */
      color: hexColour().optional(),
      /** Hex colour of the background, without `#`. */
      bg: hexColour().optional(),
      /** Width and height in pixels (assumed). */
      size: z.int().min(1).optional(),
    })
    .optional(),
  response: z.string(),
  kind: "svg",
});

export const linkOperations = [create, list, get, update, remove, analytics, qrSvg] as const;

/** A short link. Specification: "Link". */
export type Link = z.output<typeof link>;
/** Specification: "Create link body". */
export type LinkCreateInput = z.input<typeof create.input>;
/** The fields of a link that can change in place (assumed). Absent fields keep their value. */
export type LinkUpdateInput = z.input<typeof update.input>;
/** Specification: "Link analytics". */
export type LinkAnalytics = z.output<typeof analytics.response>;
/** The days to count. Specification: "Link shortener", `timeframe`. */
export type LinkAnalyticsInput = z.input<typeof analytics.input>;
/** The look of a QR code. Specification: "Link shortener", `qr.svg`. */
export type LinkQrInput = z.input<typeof qrSvg.input>;

/** Short links. Specification: "Link shortener". */
export class Links {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Creates a short link. Documented.
   *
   * @throws {@link ConflictError} when the slug or the custom domain is already used.
   * @example
   * ```ts
   * const link = await client.links.create({ url: "https://example.com/launch", slug: "launch" });
   * ```
   */
  create(input: LinkCreateInput, options?: RequestOptions): ApiPromise<Link> {
    return this.#api.call(create, {}, input, options);
  }

  /** Lists links. Iterate the result for all pages. Documented, except the fields of the items. */
  list(input?: ListInput, options?: RequestOptions): ListPromise<Link> {
    return this.#api.list(list, input, options);
  }

  /** Reads one link. Assumed. */
  get(id: string, options?: RequestOptions): ApiPromise<Link> {
    return this.#api.call(get, { id }, undefined, options);
  }

  /** Changes a link in place. Absent fields keep their value, `null` clears. Assumed. */
  update(id: string, input: LinkUpdateInput, options?: RequestOptions): ApiPromise<Link> {
    return this.#api.call(update, { id }, input, options);
  }

  /** Deletes a link. Assumed. */
  delete(id: string, options?: RequestOptions): ApiPromise<undefined> {
    return this.#api.call(remove, { id }, undefined, options);
  }

  /** Returns clicks by source, country and device. Documented. */
  analytics(id: string, input?: LinkAnalyticsInput, options?: RequestOptions): ApiPromise<LinkAnalytics> {
    return this.#api.call(analytics, { id }, input, options);
  }

  /** Returns the QR code of a link as the text of an SVG image. Documented. */
  qrSvg(id: string, input?: LinkQrInput, options?: RequestOptions): ApiPromise<string> {
    return this.#api.call(qrSvg, { id }, input, options);
  }
}
