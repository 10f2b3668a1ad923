import { z } from "zod";
import { parsedUrl } from "./parsed-url.js";

/** For operations without query parameters or body. */
export const noParameters = z.strictObject({});
export const noBody = z.undefined();

/** The response to a deletion (assumed: the specification shows none). */
export const emptyResponse = z.strictObject({});

/** Lengths are assumed: the specification gives none. */
export const name = z.string().min(1).max(100).meta({ example: "orders" });

export const region = z.enum(["us-east-1", "us-west-1", "eu-central-1", "eu-west-1", "ap-southeast-1"]).meta({
  description: "The identifiers are assumed; the specification names none.",
  example: "eu-central-1",
});

const webUrl = z
  .url({ protocol: /^https?$/, error: "expected an absolute http or https address" })
  .max(2048)
  .meta({ example: "https://example.com/welcome" });

/** The target of a link: a page, a mail or an app, but no script, because browsers do not redirect to scripts. */
export const targetUrl = z
  .url({
    protocol: /^(?!(?:javascript|data|vbscript)$)/i,
    error: "expected an absolute address, and no script",
  })
  .max(2048)
  .meta({ example: "https://example.com/welcome" });

/** An address the sandbox calls. Rejects a user and a password: calls cannot send them, and lists would show them. */
export const outboundUrl = webUrl.refine((address) => {
  const url = parsedUrl(address);
  return url === undefined || (url.username === "" && url.password === "");
}, "expected an address without a user and a password");

export const instant = z.iso
  .datetime({ offset: true, error: "expected an ISO 8601 timestamp with a time zone" })
  .meta({ example: "2030-01-31T12:00:00Z" });

/** Validates an integer in a query string: only decimal digits. */
export function integerParameter(minimum: number, maximum: number, defaultValue: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, "expected a whole number")
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
    .default(defaultValue);
}

export const isoTimestamp = z.iso.datetime();
