import { isIP } from "node:net";
import { normalizeAddress, rangeOf } from "../../core/network-addresses.js";

/**
 * Returns a visitor's address. `X-Forwarded-For` counts only from this machine, where a reverse proxy or a test sends
 * it. The last address in it outside this machine is the visitor's; a client can forge those before it. The
 * specification has no such header.
 */
export function visitorAddress(peer: string, forwarded: string | string[] | undefined): string {
  if (!isThisMachine(peer)) return peer;
  const hops = [forwarded ?? []].flat().join(",").split(",");
  for (const hop of hops.map((each) => each.trim()).reverse()) {
    if (isIP(hop) === 0) return peer;
    if (!isThisMachine(hop)) return normalizeAddress(hop);
  }
  return peer;
}

function isThisMachine(address: string): boolean {
  return isIP(address) !== 0 && rangeOf(address) === "loopback";
}
