import { ConfigurationError } from "./errors.js";

/** A base URL in its one spelling, and apart. */
export interface BaseUrl {
  /** Without a trailing slash, e.g. `https://api.example.com/v1`. */
  readonly href: string;
  readonly origin: string;
  /** The part before the specification's paths, e.g. `/v1`. */
  readonly prefix: string;
}

/** Why a text cannot be a base URL. It holds nothing of a user name, a password or a query. */
export type BaseUrlProblem =
  | { readonly problem: "notAbsolute" | "credentials" | "query" }
  | {
      /** It is http to another machine, which would get the API key in the clear. */
      readonly problem: "unencrypted";
      readonly host: string;
    }
  | { readonly problem: "scheme"; readonly scheme: string };

/**
 * Whether a host of a URL is this machine, whatever a name server says. `*.localhost` is not: it is loopback by
 * RFC 6761, but where the system does not keep to that, a name server decides where the request goes.
 */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/**
 * Reads a base URL as the client does, for programs that have settings of their own and words of their own for what
 * is wrong with them: https anywhere and http on this machine only.
 *
 * @example
 * ```ts
 * const read = parseBaseUrl("https://API.example.com:443/v1/");
 * if ("problem" in read) throw new Error(`SERVICE_URL is wrong: ${read.problem}`);
 * read.href; // https://api.example.com/v1
 * ```
 */
export function parseBaseUrl(text: string): BaseUrl | BaseUrlProblem {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
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

/** The base URL of a client. Errors never quote the URL's credentials or query. */
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
