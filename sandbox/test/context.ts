import { Background } from "../src/core/background.js";
import { createProgressions } from "../src/core/progressions.js";
import { parseOptions } from "../src/options.js";
import type { ServicesContext } from "../src/services/context.js";
import { Dumps } from "../src/services/databases/dumps.js";
import { simulatedEngine } from "../src/services/databases/simulated-engine.js";
import { Countries } from "../src/services/ip/countries.js";
import { IpDirectory } from "../src/services/ip/information.js";
import { runDue } from "../src/services/scheduler.js";
import { createOutbound } from "../src/services/webhooks/outbound.js";
import { Clock } from "../src/state/clock.js";
import type { Rows } from "../src/state/rows.js";
import { Store } from "../src/state/store.js";

/** Returns a context without a server; its clock stands at 1,000. */
export function testContext(
  parts: Partial<ServicesContext> = {},
): ServicesContext & { readonly reported: unknown[] } {
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  const clock = new Clock(() => 1_000);
  clock.freeze();
  const context: ServicesContext & { readonly reported: unknown[] } = {
    ...{ store: new Store(), clock, report, reported },
    ...{ profile: "conventional", baseUrl: "", shortDomain: "", mailDomains: [], summaryLists: false },
    random: () => 0,
    progressions: createProgressions(parseOptions({}).provisioning),
    databaseEngine: simulatedEngine(() => 0),
    dumps: new Dumps(undefined),
    ipDirectory: new IpDirectory(new Countries()),
    isOwnHost: () => false,
    nameServers: undefined,
    outbound: createOutbound({
      allowsAll: false,
      closing: new AbortController().signal,
      ownPorts: () => [],
    }),
    background: new Background(report),
    durable: async () => {},
    runDue: () => runDue(context, clock.now()),
    ...parts,
  };
  return context;
}

export const aDatabaseRow: Rows["databases"] = {
  ...{ id: "db_1", tenant: "local", seq: 1, name: "orders", engine: "mysql", version: "8.0" },
  ...{ plan: "db-starter-1", region: "eu-central-1", enable_connection_pool: false, status: "ready" },
  created_at: "2030-01-01T00:00:00.000Z",
};
