import { type BaseUrl, isLoopback } from "./base-url.js";
import { ConfigurationError } from "./errors.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxies of the environment, in the words of undici's `EnvHttpProxyAgent`. */
export interface Proxies {
  /** Empty for none. */
  readonly httpProxy: string;
  /** Empty for `httpProxy`. */
  readonly httpsProxy: string;
  /** The hosts that are reached directly. */
  readonly noProxy: string;
}

/**
 * Returns the proxies that the environment sets for a base URL. A loopback host is always reached directly: the proxy
 * would connect to itself, and with http it would receive the API key unencrypted.
 *
 * @throws ConfigurationError that never quotes the variable, which may contain a password.
 */
export function proxiesIn(environment: Environment, { origin }: BaseUrl): Proxies | undefined {
  if (isLoopback(new URL(origin).hostname)) return undefined;
  const httpProxy = proxyOf(environment, "HTTP_PROXY");
  const httpsProxy = proxyOf(environment, "HTTPS_PROXY");
  if (httpProxy === "" && httpsProxy === "") return undefined;
  return { httpProxy, httpsProxy, noProxy: environment["no_proxy"] ?? environment["NO_PROXY"] ?? "" };
}

/** Returns the address in a variable, or an empty text. As in curl, a missing scheme means http. */
function proxyOf(environment: Environment, name: string): string {
  const given = (environment[name.toLowerCase()] ?? environment[name] ?? "").trim();
  if (given === "") return "";
  const address = given.includes("://") ? given : `http://${given}`;
  const protocol = URL.canParse(address) ? new URL(address).protocol : "";
  if (protocol === "http:" || protocol === "https:") return address;
  throw new ConfigurationError({
    message: `The environment variable ${name} is not the address of an HTTP proxy.`,
    advice: "Set it to an address such as http://proxy.example.com:3128, or unset it.",
    field: name,
  });
}
