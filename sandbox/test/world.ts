import { progressionsOf } from "../src/control/progressions.js";
import { Dumps } from "../src/databases/dumps.js";
import { simulatedEngine } from "../src/databases/simulated.js";
import { outbound } from "../src/deliveries/outbound.js";
import { runDue } from "../src/due.js";
import { settingsOf } from "../src/options.js";
import { Clock } from "../src/state/clock.js";
import type { Rows } from "../src/state/rows.js";
import { Store } from "../src/state/store.js";
import { Countries } from "../src/utilities/countries.js";
import { Addresses } from "../src/utilities/ip.js";
import { Works } from "../src/works.js";
import type { World } from "../src/world.js";

/** Everything that an operation can reach, without a server; the clock stands at 1,000. */
export function worldOf(parts: Partial<World> = {}): World & { readonly reported: unknown[] } {
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  const clock = new Clock(() => 1_000);
  clock.freeze();
  const world: World & { readonly reported: unknown[] } = {
    ...{ store: new Store(), clock, report, reported },
    ...{ profile: "conventional", baseUrl: "", shortDomain: "", mailDomains: [], summaryLists: false },
    random: () => 0,
    progressions: progressionsOf(settingsOf({}).provisioning),
    databases: simulatedEngine(() => 0),
    dumps: new Dumps(undefined),
    addresses: new Addresses(new Countries()),
    isOwnHost: () => false,
    nameServers: undefined,
    outbound: outbound({
      allowsAll: false,
      closing: new AbortController().signal,
      ownPorts: () => [],
    }),
    works: new Works(report),
    durable: async () => {},
    runDue: () => runDue(world, clock.now()),
    ...parts,
  };
  return world;
}

export const aDatabaseRow: Rows["databases"] = {
  ...{ id: "db_1", tenant: "local", seq: 1, name: "orders", engine: "mysql", version: "8.0" },
  ...{ plan: "db-starter-1", region: "eu-central-1", enable_connection_pool: false, status: "ready" },
  created_at: "2030-01-01T00:00:00.000Z",
};
