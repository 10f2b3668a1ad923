import { BlockList, isIPv4 } from "node:net";
import { z } from "zod";

/** Specification: "IP information", without the address itself. */
export const ipInformation = z.strictObject({
  country_code: z.string().regex(/^[A-Z]{2}$/, "expected two capital letters"),
  country_name: z.string(),
  city: z.string(),
  postal_code: z.string(),
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
  asn: z.strictObject({ number: z.int().min(0).max(4_294_967_295), org: z.string() }),
  is_vpn: z.boolean(),
  is_datacenter: z.boolean(),
});
export type IpInformation = z.infer<typeof ipInformation>;

const documentation = new BlockList();
for (const range of ["192.0.2.0", "198.51.100.0", "203.0.113.0"]) documentation.addSubnet(range, 24, "ipv4");
documentation.addSubnet("2001:db8::", 32, "ipv6");

/** Whether an address is kept for documentation (RFC 5737, RFC 3849); the sandbox's servers have such ones. */
function isDocumentation(ip: string): boolean {
  return documentation.check(ip, isIPv4(ip) ? "ipv4" : "ipv6");
}

/**
 * What is told of every documentation address. Nobody can take it for real: `ZZ` is no country, and the number is
 * one that RFC 5398 keeps for documentation.
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

/** What is known of IP addresses: what a tenant was told by control, and documentation addresses. */
export class Addresses {
  readonly #told = new Map<string, IpInformation>();

  set(tenant: string, ip: string, information: IpInformation): void {
    this.#told.set(`${tenant} ${canonical(ip)}`, information);
  }

  find(tenant: string, ip: string): IpInformation | undefined {
    return this.#told.get(`${tenant} ${canonical(ip)}`) ?? (isDocumentation(ip) ? example : undefined);
  }

  clear(tenant?: string): void {
    for (const key of [...this.#told.keys()]) {
      if (tenant === undefined || key.startsWith(`${tenant} `)) this.#told.delete(key);
    }
  }
}

/** An IPv6 address has many spellings. */
function canonical(ip: string): string {
  return isIPv4(ip) ? ip : new URL(`http://[${ip.replace(/%.*$/, "")}]`).hostname;
}
