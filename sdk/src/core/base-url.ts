import { ConfigurationError } from "./errors.js";

const LOOPBACK = /^(localhost|(?:[^.]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** A base URL in its one spelling, and apart. */
export interface BaseUrl {
  /** Without a trailing slash, e.g. `https://api.example.com/v1`. */
  readonly href: string;
  readonly origin: string;
  /** The part before the specification's paths, e.g. `/v1`. */
  readonly prefix: string;
}

/**
 * Accepts https anywhere and http on this machine only: a key must not travel in the clear. Errors never quote
 * the URL's credentials or query.
 */
export function readBaseUrl(text: string): BaseUrl {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  if (url === undefined) {
    throw refused(
      "is not an absolute URL",
      "Give it with its scheme and version, e.g. https://api.example.com/v1.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw refused("carries a user name or password", "Remove them: the API key is the only credential.");
  }
  if (url.search !== "" || url.hash !== "") {
    throw refused("has a query or a fragment", "Give the address up to the version segment only.");
  }
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname)) {
    throw refused(
      `would send the API key unencrypted to ${url.hostname}`,
      "Use https; http is accepted on a loopback host only.",
    );
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw refused(`has the scheme ${url.protocol}`, "Use https.");
  }
  const prefix = url.pathname.replace(/\/+$/, "");
  return { href: url.origin + prefix, origin: url.origin, prefix };
}

function refused(what: string, advice: string): ConfigurationError {
  return new ConfigurationError({ message: `The base URL ${what}. ${advice}`, field: "baseUrl" });
}
