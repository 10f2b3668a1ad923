import { z } from "zod";
import { isLoopback } from "../core/base-url.js";
import { parsedUrl } from "../core/parsed-url.js";
import type { Integer, OpenText, ShapeOf } from "../core/shapes.js";

/** Fields of several resources. Their errors say what is expected and never quote the value. */

export const text = () => z.string().min(1, "expected text that is not empty");

export const absoluteUrl = () =>
  z
    .string()
    .refine(
      (value) => parsedUrl(value) !== undefined,
      "expected an absolute URL, e.g. https://example.com/page",
    );

/** Returns the schema of an address that the service calls: https, or http on this machine for a local sandbox. */
export const callableUrl = () =>
  z.string().refine((value) => {
    const url = parsedUrl(value);
    if (url === undefined) return false;
    return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
  }, "expected an https URL");

/** Returns the schema of a `Date`, or ISO 8601 with a time zone. */
export const instant = () =>
  z.union([z.iso.datetime({ offset: true }), z.date()], {
    error: "expected an ISO 8601 timestamp with its time zone, e.g. 2030-01-31T12:00:00Z, or a Date",
  });

/** The input of a list: page size and start. Specification: "Link shortener"; elsewhere assumed. */
export interface ListInput {
  /** Items on a page, 1 to 100 (assumed). Default: that of the service. */
  readonly limit?: Integer | undefined;
  /** The id of the item after which the list starts. Default: from the first item. */
  readonly startingAfter?: string | undefined;
}

/** The input of every list. */
export const listInput = z
  .strictObject({
    limit: z.int().min(1).max(100).optional(),
    startingAfter: text().optional(),
  } satisfies ShapeOf<ListInput>)
  .optional();

/** Returns the schema of an item of a list: only its id is certain. */
export const listed = <S extends z.core.$ZodShape, I extends z.core.$ZodShape>(item: z.ZodObject<S>, id: I) =>
  item.partial().extend(id);

/** Returns the schema of an open enumeration: editors complete the listed values, and any other text is valid. */
export const openText = <T extends string>() =>
  z.custom<OpenText<T>>(
    (value) => typeof value === "string" && value !== "",
    "expected text that is not empty",
  );
