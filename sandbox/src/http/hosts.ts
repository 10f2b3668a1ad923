import type { IncomingMessage } from "node:http";

/**
 * Host headers. A page in a browser can make its own name point at this machine (DNS rebinding) and then read
 * what the sandbox answers; the name in the Host header gives it away, so unknown names are refused.
 */
export function parseHost(header: string | undefined): string | undefined {
  if (header === undefined || !URL.canParse(`http://${header}`)) return undefined;
  const { host, pathname, username } = new URL(`http://${header}`);
  return pathname === "/" && username === "" ? host.toLowerCase() : undefined;
}

/** Node keeps the first of such headers in silence; whoever else reads the request may keep the last. */
export function isRepeated(request: IncomingMessage, name: string): boolean {
  return (request.headersDistinct[name]?.length ?? 0) > 1;
}

/** Whether a host (with or without port) is one of the names under which the sandbox listens. */
export function ownHostCheck(names: readonly string[]): (host: string) => boolean {
  const own = new Set(["127.0.0.1", "localhost", "[::1]", ...names.map((name) => name.toLowerCase())]);
  return (host) => own.has(host) || own.has(host.replace(/:\d+$/, ""));
}

/** The address of the machine that listens, as it stands in a URL. */
export function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
