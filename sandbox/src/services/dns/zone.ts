import { z } from "zod";
import type { Rows } from "../../state/rows.js";
import type { Store } from "../../state/store.js";

/** Record types that can be looked up. Assumed: the specification only says "record type". */
export const recordTypes = ["A", "AAAA", "CAA", "CNAME", "MX", "NS", "PTR", "SOA", "SRV", "TXT"] as const;

export const zoneRecord = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(253)
    .transform((text) => normalizeName(text)),
  type: z.enum(recordTypes),
  /** In zone file form: an address, a name, `10 mx.example.com`, or text without quotes. */
  data: z.string().min(1).max(4096),
  ttl: z.int().min(0).max(2_147_483_647).default(300),
});
export type ZoneRecord = z.input<typeof zoneRecord>;

/** Lower-cases a name and removes the dot at its end. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

/** Returns the tenant's records of a name and type, following CNAMEs. */
export function findInZone(
  store: Pick<Store, "tables">,
  tenant: string,
  name: string,
  type: string,
): Array<Rows["records"]> {
  const found: Array<Rows["records"]> = [];
  let wanted = normalizeName(name);
  // As far as common resolvers follow; also ends loops.
  for (let step = 0; step < 8; step++) {
    const there = store.tables.records.find("name", `${tenant} ${wanted}`);
    const exact = there.filter((record) => record.type === type);
    const alias = exact.length === 0 ? there.find((record) => record.type === "CNAME") : undefined;
    found.push(...exact, ...(alias ? [alias] : []));
    if (!alias) return found;
    wanted = normalizeName(alias.data);
  }
  return found;
}

/**
 * Returns a resolver like `node:dns` that knows only the tenant's zone, for the checks of a mail's origin. An
 * incoming mail therefore causes no DNS query.
 */
export function createResolver(
  store: Pick<Store, "tables">,
  tenant: string,
): (name: string, type: string) => Promise<unknown[]> {
  return async (name, type) => {
    const answers = findInZone(store, tenant, name, type).filter((record) => record.type === type);
    if (answers.length === 0) throw Object.assign(new Error(`${name} has no ${type}`), { code: "ENOTFOUND" });
    return answers.map(({ data }) => (type === "TXT" ? [data] : type === "MX" ? parseExchange(data) : data));
  };
}

function parseExchange(data: string): { priority: number; exchange: string } {
  const [priority, exchange] = data.split(/\s+/);
  return { priority: Number(priority), exchange: exchange ?? "" };
}
