import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { normalizeAddress } from "../../core/network-addresses.js";
import type { Countries } from "./countries.js";

/** Specification: "IP information", without the address. Unknown fields are absent (assumed). */
export const ipInformation = z.strictObject({
  country_code: z.string().regex(/^[A-Z]{2}$/, "expected two capital letters"),
  country_name: z.string(),
  city: z.string().optional(),
  postal_code: z.string().optional(),
  latitude: z.number().min(-90).max(90).optional(),
  longitude: z.number().min(-180).max(180).optional(),
  asn: z.strictObject({ number: z.int().min(0).max(4_294_967_295), org: z.string() }).optional(),
  is_vpn: z.boolean().optional(),
  is_datacenter: z.boolean().optional(),
});
/** Information about an IP address; at least its country. */
export type IpInformation = z.infer<typeof ipInformation>;

const address = z.string().refine((text) => isIP(text) !== 0, "expected an IP address");

const documentation = ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32"].map((range) =>
  ipaddr.parseCIDR(range),
);

/** Returns whether an address is reserved for documentation (RFC 5737, RFC 3849), as those of sandbox servers are. */
function isDocumentation(ip: string): boolean {
  return ipaddr.subnetMatch(ipaddr.parse(ip), { documentation }) === "documentation";
}

/**
 * The information for documentation addresses. It is visibly artificial: `ZZ` is no country, and RFC 5398 reserves
 * the number for documentation.
 */
const example: IpInformation = {
  country_code: "ZZ",
  country_name: "Documentation",
  city: "Example City",
  postal_code: "00000",
  latitude: 0,
  longitude: 0,
  asn: { number: 64496, org: "Documentation" },
  is_vpn: false,
  is_datacenter: true,
};

/** Finds information about IP addresses: first what control set, then documentation addresses, then countries. */
export class IpDirectory {
  readonly #known = new Map<string, IpInformation>();
  readonly #countries: Pick<Countries, "of">;

  constructor(countries: Pick<Countries, "of">) {
    this.#countries = countries;
  }

  /** @throws ZodError where the address is invalid. */
  set(tenant: string, ip: string, information: IpInformation): void {
    this.#known.set(`${tenant} ${normalizeAddress(address.parse(ip))}`, information);
  }

  async find(tenant: string, written: string): Promise<IpInformation | undefined> {
    const ip = normalizeAddress(written);
    const known = this.#known.get(`${tenant} ${ip}`);
    if (known) return known;
    if (isDocumentation(ip)) return example;
    const country = await this.#countries.of(ip);
    return country && { country_code: country.code, country_name: country.name };
  }

  get size(): number {
    return this.#known.size;
  }

  clear(tenant?: string): void {
    for (const key of [...this.#known.keys()]) {
      if (tenant === undefined || key.startsWith(`${tenant} `)) this.#known.delete(key);
    }
  }
}
