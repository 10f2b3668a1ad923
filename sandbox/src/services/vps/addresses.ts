const IPV4_RANGES = ["192.0.2", "198.51.100", "203.0.113"] as const;
const HOSTS = 254;

/** Returns addresses from the documentation ranges (RFC 5737, RFC 3849), which reach no host. */
export function documentationAddresses(number: number): { ipv4: string; ipv6: string } {
  const index = number % (IPV4_RANGES.length * HOSTS);
  const range = IPV4_RANGES[Math.floor(index / HOSTS)] ?? IPV4_RANGES[0];
  const high = Math.floor(number / 0x10000).toString(16);
  const low = (number % 0x10000).toString(16);
  return { ipv4: `${range}.${(index % HOSTS) + 1}`, ipv6: `2001:db8:0:${high}:${low}::1` };
}
