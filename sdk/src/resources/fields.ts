import { z } from "zod";
import { isLoopback } from "../core/base-url.js";

/** Fields that several resources share; each says what it wants without quoting what it got. */

export const text = () => z.string().min(1, "expected text that is not empty");

export const absoluteUrl = () =>
  z
    .string()
    .refine((value) => URL.canParse(value), "expected an absolute URL, e.g. https://example.com/page");

/** An address that the service calls: https, or http on this machine for tests against a local sandbox. */
export const callableUrl = () =>
  z.string().refine((value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, hostname } = new URL(value);
    return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  }, "expected an https URL");

/** ISO 8601 with its time zone, or a `Date`. */
export const instant = () =>
  z.union([z.iso.datetime({ offset: true }), z.date()], {
    error: "expected an ISO 8601 timestamp with its time zone, e.g. 2030-01-31T12:00:00Z, or a Date",
  });

/** How lists are read. `limit` is assumed to be 1 to 100. */
export const listInput = z
  .strictObject({
    /** Items on a page, 1 to 100 (assumed). Default: the service's. */
    limit: z.int().min(1).max(100).optional(),
    /** The id of the last item seen; the list goes on after it. */
    startingAfter: text().optional(),
  })
  .optional();

/** How to read a list: page size, and where to go on. Specification: "Link shortener"; elsewhere assumed. */
export type ListInput = z.input<typeof listInput>;

/** A value that the specification lists and that may grow: it completes in an editor, and others pass. */
export const openText = <T extends string>() =>
  z.custom<T | (string & {})>(
    (value) => typeof value === "string" && value !== "",
    "expected text that is not empty",
  );
