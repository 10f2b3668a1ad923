import { describe, expect, it } from "vitest";
import { valuesIn, withValues } from "./set-values.js";

const schedule = {
  kind: "BackupSchedule",
  id: "db_1",
  label: "orders",
  name: "orders",
  inputs: { databaseId: "db_1" },
  unread: [
    { field: "hourUtc", isSecret: false },
    { field: "frequency", isSecret: false },
  ],
};

describe("the values of --set", () => {
  it("have the input's own type", () => {
    const given = [
      "BackupSchedule.hourUtc=3",
      "BackupSchedule.notifyOnComplete=true",
      "Database.version=8.0",
      'Webhook.events=["database.backup.failed"]',
      "Link.url=https://example.com/?a=b",
    ];
    expect([...valuesIn(given).values()]).toEqual([
      3,
      true,
      "8.0",
      ["database.backup.failed"],
      "https://example.com/?a=b",
    ]);
  });

  it.each([
    ["Database.plan", "Kind.input=value"],
    ["Databse.plan=x", "--set Databse.plan: there is no such input"],
    ["Database.paln=x", "--set Database.paln: there is no such input"],
    ["BackupSchedule.hourUtc=canary", "--set BackupSchedule.hourUtc must be a whole number from 0 to 23"],
    ["Webhook.secret=canary", "--set Webhook.secret: secrets come from the configuration"],
  ])("are rejected without being repeated: %s", (given, message) => {
    expect(() => valuesIn([given])).toThrow(message);
    expect(() => valuesIn([given])).not.toThrow("canary");
  });

  it("fill in what the service does not return", () => {
    expect(withValues([schedule], valuesIn(["BackupSchedule.hourUtc=3"]))).toEqual([
      {
        ...schedule,
        inputs: { databaseId: "db_1", hourUtc: 3 },
        unread: [{ field: "frequency", isSecret: false }],
      },
    ]);
  });

  it("are rejected where they would have no effect", () => {
    expect(() => withValues([schedule], valuesIn(["Database.plan=x"]))).toThrow(
      "--set Database.plan: no resource to adopt lacks it",
    );
    expect(withValues([schedule], valuesIn(["Database.plan=x"]), ["Database"])).toEqual([schedule]);
  });
});
