import { BlockList, isIPv4, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";

/**
 * Reach this machine, whatever interfaces it has. 0.0.0.0 and :: are no addresses of anybody, and yet a connection
 * to them arrives here.
 */
const loopbackOrAny = new BlockList();
loopbackOrAny.addSubnet("127.0.0.0", 8);
loopbackOrAny.addSubnet("0.0.0.0", 8);
loopbackOrAny.addAddress("::1", "ipv6");
loopbackOrAny.addAddress("::", "ipv6");

/** Whether a connection to the address arrives at this machine. Every spelling of an address is the same. */
export function isThisMachine(written: string): boolean {
  const ip = normalizeAddress(written);
  if (loopbackOrAny.check(ip, isIPv6(ip) ? "ipv6" : "ipv4")) return true;
  // Asked each time, because interfaces come and go.
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.some(({ address }) => normalizeAddress(address) === ip);
}

/** Whether a host name, in the form in which a URL holds it, is this machine and can be nothing else. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** One spelling for each address: IPv6 has many, and an IPv4 address can be written as one. */
export function normalizeAddress(ip: string): string {
  if (isIPv4(ip)) return ip;
  const text = new URL(`http://[${ip.replace(/%.*$/, "")}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(text);
  if (mapped?.[1] === undefined || mapped[2] === undefined) return text;
  const [high, low] = [Number.parseInt(mapped[1], 16), Number.parseInt(mapped[2], 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
