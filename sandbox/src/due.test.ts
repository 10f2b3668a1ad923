import { expect, test } from "vitest";
import { progressionsOf } from "./control/progressions.js";
import { Dumps } from "./databases/dumps.js";
import { simulatedEngine } from "./databases/simulated.js";
import { outbound } from "./deliveries/outbound.js";
import { runDue } from "./due.js";
import { settingsOf } from "./options.js";
import { Clock } from "./state/clock.js";
import { Store } from "./state/store.js";
import { Countries } from "./utilities/countries.js";
import { Addresses } from "./utilities/ip.js";
import { Works } from "./works.js";
import type { World } from "./world.js";

test("what cannot happen is reported, and everything else that is due happens", () => {
  const reported: unknown[] = [];
  const report = (error: unknown) => void reported.push(error);
  const [store, clock] = [new Store(), new Clock(() => 1_000)];
  const world: World = {
    ...{ store, clock, report, profile: "conventional", baseUrl: "", shortDomain: "", mailDomains: [] },
    random: () => {
      throw new Error("no number comes");
    },
    progressions: progressionsOf(settingsOf({}).provisioning),
    databases: simulatedEngine(() => 0),
    dumps: new Dumps(undefined),
    summaryLists: false,
    addresses: new Addresses(new Countries()),
    nameServers: undefined,
    outbound: outbound(false, new AbortController().signal),
    works: new Works(report),
    durable: async () => {},
    runDue: () => runDue(world, clock.now()),
  };
  const base = { tenant: "local", seq: 1 };
  store.write("local", (transaction) => {
    transaction.put("databases", {
      ...{ ...base, id: "db_1", name: "orders", engine: "mysql", version: "8.0", plan: "db-starter-1" },
      ...{ region: "eu-central-1", enable_connection_pool: false, status: "ready", created_at: "" },
    });
    // Its backup needs a random id.
    transaction.put("schedules", {
      ...{ ...base, id: "schedule_1", database_id: "db_1", frequency: "daily", hour_utc: 0, dueAt: 0 },
      ...{ retention_days: 7, notify_on_complete: false },
    });
    transaction.put("inboxes", {
      ...{ ...base, id: "inbox_1", email_address: "a@example.com", ttl_minutes: 1, expires_at: "", dueAt: 1 },
      ...{ message_count: 0, created_at: "" },
    });
  });
  world.runDue();
  expect(reported).toEqual([new Error("no number comes")]);
  expect(store.tables.inboxes.get("inbox_1")).toBeUndefined();
});
