import { expect, test } from "vitest";
import { aDatabaseRow, testContext } from "../../test/context.js";

test("what cannot happen is reported, and everything else that is due happens", () => {
  const { store, reported, runDue } = testContext({
    random: () => {
      throw new Error("no number comes");
    },
  });
  const base = { tenant: "local", seq: 1 };
  store.write("local", (transaction) => {
    transaction.put("databases", aDatabaseRow);
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
  runDue();
  expect(reported).toEqual([new Error("no number comes")]);
  expect(store.tables.inboxes.get("inbox_1")).toBeUndefined();
});
