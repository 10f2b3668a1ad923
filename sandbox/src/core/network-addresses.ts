import { BlockList, isIPv4, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

/** Addresses that reach this machine on any interface. A connection to 0.0.0.0 or :: also arrives here. */
const loopbackOrAny = new BlockList();
loopbackOrAny.addSubnet("127.0.0.0", 8);
loopbackOrAny.addSubnet("0.0.0.0", 8);
loopbackOrAny.addAddress("::1", "ipv6");
loopbackOrAny.addAddress("::", "ipv6");

/** Returns whether a connection to the address arrives at this machine, however the address is spelled. */
export function isThisMachine(written: string): boolean {
  const ip = normalizeAddress(written);
  if (loopbackOrAny.check(ip, isIPv6(ip) ? "ipv6" : "ipv4")) return true;
  // Read each time, because interfaces change.
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.some(({ address }) => normalizeAddress(address) === ip);
}

/** Returns whether a host name, as a URL spells it, always means this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Returns the canonical spelling: IPv6 has several, and IPv4 can be embedded in it. */
export function normalizeAddress(ip: string): string {
  if (isIPv4(ip)) return ip;
  const text = new URL(`http://[${ip.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(text);
  if (mapped?.[1] === undefined || mapped[2] === undefined) return text;
  const [high, low] = [Number.parseInt(mapped[1], 16), Number.parseInt(mapped[2], 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
