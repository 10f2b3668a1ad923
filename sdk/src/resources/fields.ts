import { z } from "zod";
import { isLoopback } from "../core/base-url.js";

/** Fields of several resources. Their errors say what is expected and never quote the value. */

export const text = () => z.string().min(1, "expected text that is not empty");

export const absoluteUrl = () =>
  z
    .string()
    .refine((value) => URL.canParse(value), "expected an absolute URL, e.g. https://example.com/page");

/** Returns the schema of an address that the service calls: https, or http on this machine for a local sandbox. */
export const callableUrl = () =>
  z.string().refine((value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, hostname } = new URL(value);
    return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  }, "expected an https URL");

/** Returns the schema of a `Date`, or ISO 8601 with a time zone. */
export const instant = () =>
  z.union([z.iso.datetime({ offset: true }), z.date()], {
    error: "expected an ISO 8601 timestamp with its time zone, e.g. 2030-01-31T12:00:00Z, or a Date",
  });

/** The input of every list. The range of `limit` is assumed. */
export const listInput = z
  .strictObject({
    /** Items on a page, 1 to 100 (assumed). Default: that of the service. */
    limit: z.int().min(1).max(100).optional(),
    /** The id of the item after which the list starts. */
    startingAfter: text().optional(),
  })
  .optional();

/** The input of a list: page size and start. Specification: "Link shortener"; elsewhere assumed. */
export type ListInput = z.input<typeof listInput>;

/** Returns the schema of an open enumeration: editors complete the listed values, and any other text is valid. */
export const openText = <T extends string>() =>
  z.custom<T | (string & {})>(
    (value) => typeof value === "string" && value !== "",
    "expected text that is not empty",
  );
