import { isLoopback } from "./core/network-addresses.js";
import type { SandboxOptions } from "./options.js";

/** What somebody is to know whose sandbox others may reach: a paragraph of one line, or nothing. */
export function exposureWarning({ host = "127.0.0.1", allowOutbound = false }: SandboxOptions): string {
  if (isLoopback(inUrl(host))) return "";
  const relay = allowOutbound ? ", and uses it as a relay to anywhere" : "";
  return `\nWarning: it listens on ${host} and not on this machine alone; control asks for no key, so whoever reaches it reads passwords, mail and secrets and changes everything${relay}.\n`;
}

/** As a URL holds it, in the one spelling of each address. */
function inUrl(host: string): string {
  const url = `http://${host.includes(":") ? `[${host}]` : host}/`;
  return URL.canParse(url) ? new URL(url).hostname : host;
}
