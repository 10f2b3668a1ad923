import type { Store } from "../../state/store.js";
import type { NameServers } from "./name-servers.js";
import type { DnsRecord } from "./records.js";
import { findInZone, normalizeName, type recordTypes } from "./zone.js";

type QueryType = (typeof recordTypes)[number];

/**
 * Looks up a name in the tenant's zone, and then at name servers if allowed. A name in the zone is never looked up
 * elsewhere, so its other types do not exist.
 */
export async function lookUpRecords(
  store: Pick<Store, "tables">,
  nameServers: Pick<NameServers, "query"> | undefined,
  tenant: string,
  name: string,
  type: QueryType,
): Promise<DnsRecord[]> {
  const own: DnsRecord[] = findInZone(store, tenant, name, type);
  const last = own.at(-1);
  const next =
    last === undefined
      ? normalizeName(name)
      : last.type === "CNAME" && type !== "CNAME"
        ? last.data
        : undefined;
  if (!nameServers || next === undefined) return own;
  if (store.tables.records.some("name", `${tenant} ${normalizeName(next)}`)) return own;
  return [...own, ...(await nameServers.query(normalizeName(next), type))];
}
