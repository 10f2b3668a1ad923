import { z } from "zod";
import { instant, integerParameter, isoTimestamp, targetUrl } from "../../core/fields.js";

const text = z.string().min(1).max(200);

/** Specification: "Create link body". The forms of `domain` and `slug` are assumed. */
export const createBody = z.strictObject({
  url: targetUrl,
  domain: z
    .string()
    .max(253)
    .regex(
      /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(:([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?$/i,
      "expected a host name",
    )
    .optional()
    .meta({ example: "go.example.com" }),
  slug: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, "expected 1 to 64 letters, digits, hyphens or underscores")
    .optional()
    .meta({ example: "welcome" }),
  title: text.optional(),
  expires_at: instant.optional(),
  passcode: text.optional(),
  utm_source: text.optional(),
});

/** A field that `null` clears. */
function clearable<T extends z.ZodType>(schema: T) {
  return schema
    .nullable()
    .transform((value) => value ?? undefined)
    .exactOptional();
}

export const updateBody = z.strictObject({
  url: targetUrl.exactOptional(),
  title: clearable(text),
  expires_at: clearable(instant),
  passcode: clearable(text),
  utm_source: clearable(text),
});

/** Specification: "Link". */
export const link = z.strictObject({
  id: z.string(),
  short_url: z.string(),
  destination_url: z.string(),
  domain: z.string(),
  slug: z.string(),
  qr_code_url: z.string(),
  clicks_count: z.int(),
  created_at: isoTimestamp,
});
export const linkSummary = link.pick({ id: true, short_url: true });

/** Specification: "Link analytics". */
export const analytics = z.strictObject({
  total_clicks: z.int(),
  unique_visitors: z.int(),
  referrers: z.array(z.strictObject({ source: z.string(), clicks: z.int() })),
  countries: z.array(z.strictObject({ country_code: z.string(), name: z.string(), clicks: z.int() })),
  devices: z.strictObject({ mobile: z.int(), desktop: z.int(), tablet: z.int() }),
});

const colour = z.string().regex(/^([0-9a-f]{3}|[0-9a-f]{6})$/i, "expected a hex colour without #");
/** The defaults and the bounds of `size` are assumed. */
export const qrQuery = z.strictObject({
  color: colour.default("000000"),
  bg: colour.default("ffffff"),
  size: integerParameter(64, 4096, 256),
});
/** Specification: a number followed by d. The default and bounds are assumed. */
export const analyticsQuery = z.strictObject({
  timeframe: z
    .string()
    .regex(/^([1-9]\d{0,2}|[12]\d{3}|3[0-5]\d\d|36[0-4]\d|3650)d$/, "expected 1d to 3650d")
    .default("30d"),
});
