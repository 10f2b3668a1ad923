import { isLoopback } from "./core/network-addresses.js";
import type { SandboxOptions } from "./options.js";

/** Returns a warning where other machines can reach the sandbox; otherwise an empty string. */
export function exposureWarning({ host = "127.0.0.1", allowOutbound = false }: SandboxOptions): string {
  if (isLoopback(inUrl(host))) return "";
  const relay = allowOutbound ? ", and uses it as a relay to anywhere" : "";
  return `\nWarning: it listens on ${host} and not on this machine alone; control asks for no key, so whoever reaches it reads passwords, mail and secrets and changes everything${relay}.\n`;
}

/** Returns the host as a URL spells it. */
function inUrl(host: string): string {
  const url = `http://${host.includes(":") ? `[${host}]` : host}/`;
  return URL.canParse(url) ? new URL(url).hostname : host;
}
