import { describe, expect, it } from "vitest";
import { type Properties, UNKNOWN } from "../kernel/definition/properties.js";
import { PlannedNames } from "../kernel/plan/planned-names.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import { check, diff } from "../test-support/operations.js";
import { backupSchedule } from "./backup-schedule.js";
import { database } from "./database.js";

const config: Record<string, string> = {
  "cloudservices:apiKey": "key",
  "cloudservices:baseUrl": "https://api.test/v1",
};
const settings = readSettings((key) => config[key], {});
const open = readSettings((key) => ({ ...config, "cloudservices:allowUnlisted": "true" })[key], {});
const orders = { engine: "postgresql", version: "16", region: "eu-central-1" };
const schedule = (retentionDays: number, plan?: unknown): Properties => ({
  databaseId: "db_1",
  frequency: "daily",
  hourUtc: 3,
  retentionDays,
  ...(plan === undefined ? {} : { __plan: plan }),
});
const checked = (news: Properties, olds: Properties = {}, under = settings) =>
  check(backupSchedule, olds, news, under, new PlannedNames());

describe("the retention of a schedule whose plan is known", () => {
  it("may not exceed what the plan keeps", () => {
    expect(checked(schedule(7, "db-starter-1")).failures).toEqual([]);
    expect(checked(schedule(8, "db-starter-1")).failures).toMatchObject([
      {
        code: "INPUT_UNLISTED",
        summary: "retentionDays is more than the 7 days for which the plan db-starter-1 keeps backups",
        fixes: [
          { line: "retentionDays: 7" },
          { line: 'plan: "db-standard-2" for the database' },
          { line: [{ command: "pulumi config set cloudservices:allowUnlisted true" }] },
        ],
      },
    ]);
    expect(checked(schedule(70, "db-pro-4")).failures[0]?.fixes).toHaveLength(2);
    expect(checked(schedule(8, "db-starter-1"), {}, open).failures).toEqual([]);
  });

  it.each([
    ["is not known", undefined],
    ["is known only later", UNKNOWN],
    ["is not in the specification", "db-huge-64"],
  ])("is validated by the service when the plan %s", (_why, plan) => {
    expect(checked(schedule(3_000, plan)).failures).toEqual([]);
  });

  it("is known from the database that the program declares, as soon as its id is", () => {
    const names = new PlannedNames();
    const urn = "urn:pulumi:dev::shop::cloudservices:index:Database::orders";
    const withName = (plan: string) =>
      check(database, {}, { ...orders, plan, __urn: urn }, settings, names).failures;
    const ofDatabase = (retentionDays: number) =>
      check(backupSchedule, {}, schedule(retentionDays), settings, names).failures;
    expect(withName("db-starter-1")).toEqual([]);
    expect(ofDatabase(8)).toEqual([]);
    names.declared.noteId(urn, "Database", "db_1");
    expect(ofDatabase(8)).toMatchObject([
      { code: "INPUT_UNLISTED", summary: expect.stringContaining("7 days") },
    ]);
    expect(withName("db-standard-2")).toEqual([]);
    expect(ofDatabase(8)).toEqual([]);
  });

  it("does not change when the plan changes, or becomes unknown", () => {
    const { inputs } = checked(schedule(7, "db-starter-1"));
    expect(inputs).not.toHaveProperty("__plan");
    for (const plan of ["db-pro-4", undefined]) {
      const next = checked(schedule(7, plan), inputs).inputs;
      expect(next).toEqual(inputs);
      expect(diff(backupSchedule, inputs, next, settings, new PlannedNames(), 0)).toEqual({
        changes: undefined,
        changed: [],
        replaces: [],
        deleteBeforeReplace: false,
      });
    }
  });
});
