import { isIP } from "node:net";
import { isLoopback, normalizeAddress } from "../../core/network-addresses.js";

/**
 * Where a visitor comes from. `X-Forwarded-For` is believed of this machine alone, where it is a reverse proxy or a
 * test that writes it: the last address in it that is not this machine's own, since what stands before was sent by
 * the visitor and can be anything. This is the sandbox's own rule; the specification has no such header.
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
  if (isIP(address) === 0) return false;
  const plain = normalizeAddress(address);
  return isLoopback(plain.includes(":") ? `[${plain}]` : plain);
}
