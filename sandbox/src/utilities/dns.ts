import { lookUp, plain, type recordTypes } from "../mail/zone.js";
import type { Store } from "../state/store.js";
import type { FoundRecord } from "./dns-records.js";
import type { NameServers } from "./name-servers.js";

type AskedType = (typeof recordTypes)[number];

/**
 * The records of a name: those of the tenant's zone, and of name servers for what the zone has no name for, where
 * they may be asked. A name that the zone has is the zone's alone, so that its other types do not exist.
 */
export async function recordsOf(
  store: Pick<Store, "tables">,
  nameServers: Pick<NameServers, "ask"> | undefined,
  tenant: string,
  name: string,
  type: AskedType,
): Promise<FoundRecord[]> {
  const own: FoundRecord[] = lookUp(store, tenant, name, type);
  const last = own.at(-1);
  const next =
    last === undefined ? plain(name) : last.type === "CNAME" && type !== "CNAME" ? last.data : undefined;
  if (!nameServers || next === undefined) return own;
  if (store.tables.records.some("name", `${tenant} ${plain(next)}`)) return own;
  return [...own, ...(await nameServers.ask(plain(next), type))];
}
