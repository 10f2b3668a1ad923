import type { IncomingMessage } from "node:http";
import { parsedUrl } from "../core/parsed-url.js";

/**
 * Parses a Host header. A web page can point its own name at this machine (DNS rebinding) and read responses. Its
 * requests carry that name, so the sandbox rejects unknown names.
 */
export function parseHost(header: string | undefined): string | undefined {
  const url = header === undefined ? undefined : parsedUrl(`http://${header}`);
  if (url === undefined) return undefined;
  const { host, pathname, username } = url;
  return pathname === "/" && username === "" ? host.toLowerCase() : undefined;
}

/**
 * Returns whether a header is repeated. Node keeps the first value silently; another reader of the request may keep
 * the last.
 */
export function isRepeated(request: IncomingMessage, name: string): boolean {
  return (request.headersDistinct[name]?.length ?? 0) > 1;
}

/** Returns a check whether the sandbox listens under a host, with or without a port. */
export function ownHostCheck(names: readonly string[]): (host: string) => boolean {
  const own = new Set(["127.0.0.1", "localhost", "[::1]", ...names.map((name) => name.toLowerCase())]);
  return (host) => own.has(host) || own.has(host.replace(/:\d+$/, ""));
}

/** Returns the listening address as a URL spells it. */
export function urlHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
