import { z } from "zod";
import type { Api } from "../core/api.js";
import type { ApiPromise } from "../core/api-promise.js";
import { nothing, operation } from "../core/operation.js";
import type { ListPromise } from "../core/pages.js";
import type { RequestOptions } from "../core/request-options.js";
import type { Integer, Listed, ShapeOf } from "../core/shapes.js";
import { identifier } from "../core/wire.js";
import { absoluteUrl, instant, type ListInput, listed, listInput, text } from "./fields.js";

/** A short link. Specification: "Link". */
export interface Link {
  /** The id of the link: `link_…`. */
  readonly id: string;
  /** The short URL: `https://<domain>/<slug>`. */
  readonly shortUrl: string;
  /** The target of the link. */
  readonly destinationUrl: string;
  /** The domain of the short URL. */
  readonly domain: string;
  /** The path of the short URL. */
  readonly slug: string;
  /** The address of the QR code as SVG. Requests for it need the API key. */
  readonly qrCodeUrl: string;
  /** The number of visits. */
  readonly clicksCount: Integer;
  /** When the link was created: ISO 8601, UTC. */
  readonly createdAt: string;
  /** The internal label. Not shown by the specification. */
  readonly title?: string | undefined;
  /** When the link expires: ISO 8601, UTC. Not shown by the specification. */
  readonly expiresAt?: string | undefined;
  /** The UTM source that the service appends to the target. Not shown by the specification. */
  readonly utmSource?: string | undefined;
}

/** A link as a list shows it. The specification does not show the fields of listed links, so only the id is certain. */
export interface ListedLink extends Listed<Link, "id"> {}

const link = z.object({
  id: identifier(),
  shortUrl: z.string(),
  destinationUrl: z.string(),
  domain: z.string(),
  slug: z.string(),
  qrCodeUrl: z.string(),
  clicksCount: z.int(),
  createdAt: z.string(),
  title: z.string().optional(),
  expiresAt: z.string().optional(),
  utmSource: z.string().optional(),
} satisfies ShapeOf<Link>);

/** The input of `links.create`. Specification: "Create link body". */
export interface LinkCreateInput {
  /** The target of the link: an absolute URL. */
  readonly url: string;
  /** Custom domain. Default: the service's own short domain. */
  readonly domain?: string | undefined;
  /** Custom alias. Default: 6 random characters. */
  readonly slug?: string | undefined;
  /** Internal label or campaign title. */
  readonly title?: string | undefined;
  /** When the link expires: a `Date`, or ISO 8601 with a time zone. */
  readonly expiresAt?: string | Date | undefined;
  /** Every visitor must enter it. Never in logs or errors. */
  readonly passcode?: string | undefined;
  /** Appended to the target as `utm_source`. */
  readonly utmSource?: string | undefined;
}

/** The fields of a link that can change in place (assumed). Absent fields keep their value. */
export interface LinkUpdateInput {
  /** The target of the link: an absolute URL. */
  readonly url?: string | undefined;
  /** Internal label or campaign title. `null` clears it. */
  readonly title?: string | null | undefined;
  /** When the link expires: a `Date`, or ISO 8601 with a time zone. `null` clears it. */
  readonly expiresAt?: string | Date | null | undefined;
  /** Every visitor must enter it. Never in logs or errors. `null` clears it. */
  readonly passcode?: string | null | undefined;
  /** Appended to the target as `utm_source`. `null` clears it. */
  readonly utmSource?: string | null | undefined;
}

const create = operation({
  call: "links.create",
  basis: "documented",
  method: "POST",
  path: "/shortener/links",
  section: "Link shortener, Create link body",
  input: z.strictObject({
    url: absoluteUrl(),
    domain: text().optional(),
    slug: text().optional(),
    title: z.string().optional(),
    expiresAt: instant().optional(),
    passcode: text().optional(),
    utmSource: z.string().optional(),
  } satisfies ShapeOf<LinkCreateInput>),
  response: link,
});

const list = operation({
  call: "links.list",
  basis: "documented",
  method: "GET",
  path: "/shortener/links",
  section: "Link shortener",
  input: listInput,
  response: z.array(listed(link, { id: identifier() })),
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
    url: absoluteUrl().optional(),
    title: z.string().nullable().optional(),
    expiresAt: instant().nullable().optional(),
    passcode: text().nullable().optional(),
    utmSource: z.string().nullable().optional(),
  } satisfies ShapeOf<LinkUpdateInput>),
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
});

/** The input of `links.analytics`. Specification: "Link shortener", `timeframe`. */
export interface LinkAnalyticsInput {
  /** How many days back to count, e.g. `30d`. Default: that of the service. */
  readonly timeframe?: `${number}d` | undefined;
}

/** Clicks from one origin. Specification: "Link analytics", `referrers`. */
export interface ReferrerClicks {
  /** The origin of the visitors: a host name, or `direct`. */
  readonly source: string;
  /** The number of clicks from there. */
  readonly clicks: Integer;
}

/** Clicks from one country. Specification: "Link analytics", `countries`. */
export interface CountryClicks {
  /** The two-letter country code. */
  readonly countryCode: string;
  /** The name of the country. */
  readonly name: string;
  /** The number of clicks from there. */
  readonly clicks: Integer;
}

/** Clicks by kind of device. Specification: "Link analytics", `devices`. */
export interface DeviceClicks {
  /** The number of clicks on phones. */
  readonly mobile: Integer;
  /** The number of clicks on desktop computers. */
  readonly desktop: Integer;
  /** The number of clicks on tablets. */
  readonly tablet: Integer;
}

/** The clicks on a link. Specification: "Link analytics". */
export interface LinkAnalytics {
  /** The number of all clicks. */
  readonly totalClicks: Integer;
  /** The number of different visitors. */
  readonly uniqueVisitors: Integer;
  /** The clicks by origin. */
  readonly referrers: ReferrerClicks[];
  /** The clicks by country. */
  readonly countries: CountryClicks[];
  /** The clicks by device. */
  readonly devices: DeviceClicks;
}

const analytics = operation({
  call: "links.analytics",
  basis: "documented",
  method: "GET",
  path: "/shortener/links/:id/analytics",
  section: "Link analytics",
  input: z
    .strictObject({
      timeframe: z.templateLiteral([z.number(), "d"], "expected a number of days, e.g. 30d").optional(),
    } satisfies ShapeOf<LinkAnalyticsInput>)
    .optional(),
  response: z.object({
    totalClicks: z.int(),
    uniqueVisitors: z.int(),
    referrers: z.array(z.object({ source: z.string(), clicks: z.int() } satisfies ShapeOf<ReferrerClicks>)),
    countries: z.array(
      z.object({
        countryCode: z.string(),
        name: z.string(),
        clicks: z.int(),
      } satisfies ShapeOf<CountryClicks>),
    ),
    devices: z.object({
      mobile: z.int(),
      desktop: z.int(),
      tablet: z.int(),
    } satisfies ShapeOf<DeviceClicks>),
  } satisfies ShapeOf<LinkAnalytics>),
});

/** The look of a QR code. Specification: "Link shortener", `qr.svg`. */
export interface LinkQrInput {
  /** Hex colour of the code, without `#`. Default: that of the service. */
  readonly color?: string | undefined;
  /** Hex colour of the background, without `#`. Default: that of the service. */
  readonly bg?: string | undefined;
  /** Width and height in pixels (assumed). Default: that of the service. */
  readonly size?: Integer | undefined;
}

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
      color: hexColour().optional(),
      bg: hexColour().optional(),
      size: z.int().min(1).optional(),
    } satisfies ShapeOf<LinkQrInput>)
    .optional(),
  response: z.string(),
  kind: "svg",
});

export const linkOperations = [create, list, get, update, remove, analytics, qrSvg] as const;

/** Short links. Specification: "Link shortener". */
export class Links {
  readonly #api: Api;

  /** @param api - The result of `connect`. */
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
  list(input?: ListInput, options?: RequestOptions): ListPromise<ListedLink> {
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
