import { isLoopback } from "./core/network-addresses.js";
import { parsedUrl } from "./core/parsed-url.js";
import type { SandboxOptions } from "./options.js";

/** Returns a warning where other machines can reach the sandbox; otherwise an empty string. */
export function exposureWarning({ host = "127.0.0.1", allowOutbound = false }: SandboxOptions): string {
  if (isLoopback(inUrl(host))) return "";
  const relay = allowOutbound ? ", and use it as a relay to any host" : "";
  return `\nWarning: the sandbox listens on ${host} and other machines can reach it. Control needs no key, so they can read passwords, mail and secrets, and change everything${relay}.\n`;
}

/** Returns the host as a URL spells it. */
function inUrl(host: string): string {
  const url = `http://${host.includes(":") ? `[${host}]` : host}/`;
  return parsedUrl(url)?.hostname ?? host;
}
