import { z } from "zod";
import { parsedUrl } from "./parsed-url.js";

/*
 * The schemas of input values. Each message states what is allowed and does not repeat the rejected value, which may
 * be a secret.
 */

export const text = () => z.string({ error: "must be a string" }).min(1, { error: "must not be empty" });

export const flag = () => z.boolean({ error: "must be true or false" });

export function integer(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

function url(accepts: (parsed: URL) => boolean, error: string) {
  const isAccepted = (value: string) => {
    const parsed = parsedUrl(value);
    return parsed !== undefined && accepts(parsed);
  };
  return z.string({ error }).refine(isAccepted, { error });
}

export const webUrl = () =>
  url(({ protocol }) => ["http:", "https:"].includes(protocol), "must be an absolute http or https URL");

/** A URL that a browser can open: a page, a mail address, an app. Excludes URLs that run a script. */
export const targetUrl = () =>
  url(
    ({ protocol }) => !["javascript:", "data:", "vbscript:"].includes(protocol),
    "must be an absolute URL such as https://example.com/page or mailto:team@example.com, not a script",
  );

/**
 * The sdk's rule for a base URL; fields.test.ts compares the two. Planning sends no requests, so its files do not import
 * the sdk, and a subpath export for this expression would become a permanent part of the sdk's public API.
 */
const isLoopback = (hostname: string): boolean => /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);

/** A URL that the service calls. TLS is required, except for a sandbox on this machine. */
export const callableUrl = () =>
  url(
    ({ protocol, hostname }) => protocol === "https:" || (protocol === "http:" && isLoopback(hostname)),
    "must be an absolute https URL; plain http is accepted for a loopback address only",
  );

export function hostname() {
  const error = "must be a host name such as links.example.com, without scheme, path or port";
  const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
  return z.string({ error }).regex(new RegExp(`^${label}(\\.${label})*$`, "i"), { error });
}

export function slug() {
  const error = "must be one path segment: letters, digits, '-', '_', '.' or '~'";
  return z.string({ error }).regex(/^[\w.~-]+$/, { error });
}

export function localPart() {
  const error = "must be the beginning of a mail address: letters, digits, '-', '_' or single dots";
  return z.string({ error }).regex(/^(?!.*\.\.)[a-z0-9][\w.-]*$/i, { error });
}

export function timestamp() {
  const error = "must be an ISO 8601 time with an offset or Z, such as 2027-01-31T12:00:00Z";
  return z.iso.datetime({ error, offset: true });
}

export const listOf = <T extends z.ZodType>(item: T, what: string) =>
  z.array(item, { error: `must be a list of ${what}` });

/** Returns whether two spellings mean the same instant. */
export const sameInstant = (a: string, b: string): boolean => Date.parse(a) === Date.parse(b);

/** Returns whether two lists have the same members, ignoring order and repetition. */
export const sameMembers = (a: readonly string[], b: readonly string[]): boolean =>
  new Set([...a, ...b]).size === new Set(a).size && new Set(a).size === new Set(b).size;

/** Returns whether two URLs are the same: scheme and host ignore case, the path does not. */
export function sameUrl(a: string, b: string): boolean {
  const left = parsedUrl(a);
  return left !== undefined && left.href === parsedUrl(b)?.href;
}

export const sameHost = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Compares regions, plans, images and engines, which ignore case. Names, slugs and ids do not. */
export const sameWord = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Returns whether a time has passed. An unknown one has not. */
export const isPast = (time: unknown, now: number): boolean =>
  typeof time === "string" && Date.parse(time) <= now;

/** Returns the schema of a text for which editors suggest the listed values; the service decides about others. */
export const openText = <T extends string>(): z.ZodType<T | (string & {}), T | (string & {})> => text();
