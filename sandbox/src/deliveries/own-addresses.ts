import { BlockList, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { plainAddress } from "../utilities/ip.js";

/**
 * Reach this machine, whatever interfaces it has. 0.0.0.0 and :: are no addresses of anybody, and yet a connection
 * to them arrives here.
 */
const here = new BlockList();
here.addSubnet("127.0.0.0", 8);
here.addSubnet("0.0.0.0", 8);
here.addAddress("::1", "ipv6");
here.addAddress("::", "ipv6");

/** Whether a connection to the address arrives at this machine. Every spelling of an address is the same. */
export function isThisMachine(written: string): boolean {
  const ip = plainAddress(written);
  if (here.check(ip, isIPv6(ip) ? "ipv6" : "ipv4")) return true;
  // Asked each time, because interfaces come and go.
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return own.some(({ address }) => plainAddress(address) === ip);
}
