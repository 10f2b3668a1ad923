import { type BaseUrl, isLoopback } from "./base-url.js";
import { ConfigurationError } from "./errors.js";
import { parsedUrl } from "./parsed-url.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the address of the proxy that the environment sets for a base URL. Only a loopback host has a base URL without
 * TLS, and it is always reached directly: the proxy would connect to itself, and it would receive the API key
 * unencrypted. So it is the proxy for https, or the one for http where there is none.
 *
 * @throws ConfigurationError if that proxy is not one. It never quotes the variable, which may contain a password.
 */
export function proxyIn(environment: Environment, { origin }: BaseUrl): string | undefined {
  const url = new URL(origin);
  if (isLoopback(url.hostname)) return undefined;
  const given = variableIn(environment, "HTTPS_PROXY") ?? variableIn(environment, "HTTP_PROXY");
  if (given === undefined) return undefined;
  if (isExcepted(url, environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")) return undefined;
  // As in curl, a missing scheme means http.
  const address = given.value.includes("://") ? given.value : `http://${given.value}`;
  const protocol = parsedUrl(address)?.protocol;
  if (protocol === "http:" || protocol === "https:") return address;
  throw new ConfigurationError({
    message: `The environment variable ${given.name} is not the address of an HTTP proxy.`,
    advice: "Set it to an address such as http://proxy.example.com:3128, or unset it.",
    field: given.name,
  });
}

/** Returns a variable in the spelling that is set, the lower-case one first. An empty one sets no proxy. */
function variableIn(environment: Environment, upper: string): { name: string; value: string } | undefined {
  const lower = upper.toLowerCase();
  const name = environment[lower] === undefined ? upper : lower;
  const value = (environment[name] ?? "").trim();
  return value === "" ? undefined : { name, value };
}

/** Returns whether a list such as `example.com,.example.org:8443` contains the host. */
function isExcepted({ hostname, port }: URL, list: string): boolean {
  return list.split(/[,\s]+/).some((entry) => {
    const [, host = "", only] = /^(.+?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (host === "" || (only !== undefined && Number(only) !== Number(port || 443))) return false;
    return /^[.*]/.test(host) ? hostname.endsWith(host.replace(/^\*/, "")) : hostname === host;
  });
}
