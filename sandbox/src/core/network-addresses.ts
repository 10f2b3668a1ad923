import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Returns whether a connection to the address arrives at this machine, however the address is spelled. */
export function isThisMachine(written: string): boolean {
  const address = parseAddress(written);
  // A connection to 0.0.0.0 or :: also arrives here.
  if (["loopback", "unspecified"].includes(address.range())) return true;
  // Read each time, because interfaces change.
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.some((each) => normalizeAddress(each.address) === address.toString());
}

/** Returns whether a host name, as a URL spells it, always means this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Returns the canonical spelling: IPv6 has several, and IPv4 can be embedded in it. */
export function normalizeAddress(ip: string): string {
  return parseAddress(ip).toString();
}

/** Returns the range of an address, such as `loopback`; `unicast` for a public one. */
export function rangeOf(ip: string): string {
  return parseAddress(ip).range();
}

function parseAddress(ip: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.process(ip.replace(/%.*$/, ""));
}
