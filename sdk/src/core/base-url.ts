import { ConfigurationError } from "./errors.js";
import { parsedUrl } from "./parsed-url.js";

/** A normalised base URL and its parts. */
export interface BaseUrl {
  /** Without a trailing slash, e.g. `https://api.example.com/v1`. */
  readonly href: string;
  /** Scheme, host and port, e.g. `https://api.example.com`. */
  readonly origin: string;
  /** The part before the specification's paths, e.g. `/v1`. */
  readonly prefix: string;
}

/** Why a text is not a valid base URL. It contains no user name, password or query. */
export type BaseUrlProblem =
  | { readonly problem: "notAbsolute" | "credentials" | "query" }
  | {
      /** http to another machine would send the API key unencrypted. */
      readonly problem: "unencrypted";
      readonly host: string;
    }
  | { readonly problem: "scheme"; readonly scheme: string };

/**
 * Returns whether a host is this machine, whatever a name server says. `*.localhost` is not: RFC 6761 makes it
 * loopback, but some systems ask a name server for it.
 */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/**
 * Parses a base URL as the client does: https on any host, http on this machine only. For programs with their own
 * settings and messages.
 *
 * @example
 * ```ts
 * const read = parseBaseUrl("https://API.example.com:443/v1/");
 * if ("problem" in read) throw new Error(`SERVICE_URL is wrong: ${read.problem}`);
 * read.href; // https://api.example.com/v1
 * ```
 */
export function parseBaseUrl(text: string): BaseUrl | BaseUrlProblem {
  const url = parsedUrl(text.trim());
  if (url === undefined) return { problem: "notAbsolute" };
  if (url.username !== "" || url.password !== "") return { problem: "credentials" };
  if (url.search !== "" || url.hash !== "") return { problem: "query" };
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    return { problem: "unencrypted", host: url.host };
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return { problem: "scheme", scheme: url.protocol };
  const prefix = url.pathname.replace(/\/+$/, "");
  return { href: url.origin + prefix, origin: url.origin, prefix };
}

/** Returns the base URL of a client. Errors never quote its credentials or query. */
export function checkedBaseUrl(text: string): BaseUrl {
  const read = parseBaseUrl(text);
  if (!("problem" in read)) return read;
  const { what, advice } = describe(read);
  throw new ConfigurationError({ message: `The base URL ${what}.`, advice, field: "baseUrl" });
}

function describe(wrong: BaseUrlProblem): { what: string; advice: string } {
  switch (wrong.problem) {
    case "notAbsolute":
      return {
        what: "is not an absolute URL",
        advice: "Give it with its scheme and version, e.g. https://api.example.com/v1.",
      };
    case "credentials":
      return {
        what: "contains a user name or password",
        advice: "Remove them: the API key is the only credential.",
      };
    case "query":
      return {
        what: "has a query or a fragment",
        advice: "Give the address up to the version segment only.",
      };
    case "unencrypted":
      return {
        what: `would send the API key unencrypted to ${wrong.host}`,
        advice: "Use https; http is accepted on a loopback host only.",
      };
    case "scheme":
      return { what: `has the scheme ${wrong.scheme}`, advice: "Use https." };
  }
}
