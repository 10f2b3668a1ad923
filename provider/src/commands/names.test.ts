import { describe, expect, it } from "vitest";
import { hasCredentials, UniqueNames, variableFrom } from "./names.js";
import { importFileOf, named, programOf } from "./program.js";

describe("the names of adopted resources", () => {
  it("are made of the label, each used once, whatever its case", () => {
    const names = new UniqueNames();
    const labels = [
      "orders",
      "Orders",
      "orders-2",
      "web 1",
      "数据库",
      "https://hooks.example.com/a?b",
      "https://bot:canary@hooks.example.com/services/canary?token=canary",
      "mysql://canary",
      "https://[canary",
      "orders:eu",
      "signup@mail.test",
    ];
    expect(labels.map((label) => names.of(label, "database"))).toEqual([
      "orders",
      "Orders-2",
      "orders-2-2",
      "web-1",
      "database",
      "hooks.example.com",
      "hooks.example.com-2",
      "canary",
      "database-2",
      "orders-eu",
      "signup",
    ]);
  });

  it.each([
    ["https://bot:canary@hooks.example.com/", true],
    ["https://hooks.example.com/?access_token=canary", true],
    ["https://hooks.example.com/?q=token", false],
    ["orders:eu", false],
    [3, false],
  ])("do not matter for whether a value contains credentials: %s: %s", (value, expected) => {
    expect(hasCredentials(value)).toBe(expected);
  });

  it("become variables", () => {
    expect(
      ["orders", "order-db.1", "new", "1st", "__"].map((name) => variableFrom(name, "Database")),
    ).toEqual(["ordersDatabase", "orderDb1Database", "newDatabase", "_1stDatabase", "database"]);
  });
});

describe("the program", () => {
  const database = { kind: "Database", id: "db_1", label: "orders", inputs: { name: "orders" }, unread: [] };
  const schedule = {
    ...{ kind: "BackupSchedule", id: "db_1", label: "db_1", owner: "Database", unread: [] },
    inputs: { databaseId: "db_1", hourUtc: 3 },
  };

  it("quotes every value of the service, and declares owners first", () => {
    const hostile = {
      ...{ kind: "Link", id: '"});process.exit();//', label: "*/ evil", unread: [] },
      inputs: { url: `https://example.com/"\n\`\${x}\`` },
    };
    const program = programOf(named([schedule, database, hostile]), "dynamic");
    expect(
      program,
    ).toBe(`// Written by \`pulumi-cloudservices adopt\`: what exists at the service and is in no state of this project.
import { BackupSchedule, Database, Link } from "pulumi-cloudservices";

const ordersDatabase = new Database("orders", {
  adopt: "db_1",
  name: "orders",
});

new Link("evil", {
  adopt: "\\"});process.exit();//",
  url: "https://example.com/\\"\\n\`\${x}\`",
});

new BackupSchedule("orders", {
  databaseId: ordersDatabase.id,
  hourUtc: 3,
});
`);
  });

  it("refers to an owner that a state has by its id", () => {
    expect(programOf(named([schedule]), "native")).toContain('databaseId: "db_1",');
  });

  it("has a file for the import with the same names", () => {
    expect(JSON.parse(importFileOf(named([database, schedule])))).toEqual({
      resources: [
        { type: "cloudservices:index:Database", name: "orders", id: "db_1" },
        { type: "cloudservices:index:BackupSchedule", name: "orders", id: "db_1" },
      ],
    });
  });
});
