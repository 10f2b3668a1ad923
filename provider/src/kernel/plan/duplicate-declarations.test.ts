import { describe, expect, it } from "vitest";
import { backupSchedule } from "../../resources/backup-schedule.js";
import { database } from "../../resources/database.js";
import { inbox } from "../../resources/inbox.js";
import { link } from "../../resources/link.js";
import { vpsInstance } from "../../resources/vps-instance.js";
import { webhook } from "../../resources/webhook.js";
import { check } from "../../test-support/operations.js";
import type { Kind } from "../definition/kind.js";
import { type Properties, UNKNOWN } from "../definition/properties.js";
import { render } from "../diagnostics/diagnostic.js";
import { readSettings } from "../settings/read-settings.js";
import { PlannedNames } from "./planned-names.js";

const orders = { name: "orders", engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu" };
const web = { name: "web", plan: "vps-micro-1", region: "eu", image: "debian-12" };
const launch = { slug: "launch", url: "https://example.com/" };
const hook = { url: "https://example.com/", events: ["database.backup.failed"], secret: "s" };

/** One run of the engine: it checks one resource after the other. */
function plan<I extends object, R extends object>(kind: Kind<I, R>, config: Record<string, string> = {}) {
  const given: Record<string, string> = {
    "cloudservices:apiKey": "key",
    "cloudservices:baseUrl": "https://api.test/v1",
    ...config,
  };
  const settings = readSettings((key) => given[key], {});
  const names = new PlannedNames();
  const urnOf = (name: string) =>
    `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:${kind.name}::${name}`;
  const checked = (name: string, news: Properties, olds: Properties = {}) =>
    check(kind, olds, { ...news, __urn: urnOf(name) }, settings, names);
  const said = (name: string, news: Properties, olds: Properties = {}) =>
    checked(name, news, olds).failures.map((each) => render(each));
  const warned = (name: string, news: Properties, olds: Properties = {}) => checked(name, news, olds).notes;
  return { checked, said, warned, urnOf };
}

describe("a resource that the program declares twice", () => {
  it.each([
    ["Database", plan(database), orders, "name", "Database"],
    ["VpsInstance", plan(vpsInstance), web, "name", "VpsInstance"],
    ["Webhook", plan(webhook), hook, "url and events", "Webhook"],
  ] as const)("is rejected by check, which names both: %s", (_kind, { said }, inputs, by, kind) => {
    expect(said("a", inputs)).toEqual([]);
    expect(said("b", inputs)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^${by} and all other inputs are also those of ${kind} "a" \\[DECLARED_TWICE\\][^]*duplicates allow`,
        ),
      ),
    ]);
  });

  it("is created when the stack allows duplicates", () => {
    const { said } = plan(database, { "cloudservices:duplicates": "allow" });
    expect([...said("a", orders), ...said("b", orders)]).toEqual([]);
  });

  it("is created with a warning when another input differs, or may differ", () => {
    for (const other of [{ region: "us" }, { plan: "db-pro-4" }, { vpcId: UNKNOWN }]) {
      const { checked } = plan(database);
      expect(checked("a", orders)).toMatchObject({ failures: [], notes: [] });
      expect(checked("b", { ...orders, ...other })).toMatchObject({
        failures: [],
        notes: ['Database "a" has the same name. Other inputs differ, so the service will have both.'],
      });
    }
    const { checked } = plan(database);
    checked("a", orders);
    expect(checked("b", { ...orders, name: UNKNOWN })).toMatchObject({ failures: [], notes: [] });
  });

  it("is warned of by the name once, and not when the stack allows duplicates", () => {
    const other = { ...orders, region: "us" };
    const first = plan(database);
    const [a, b] = [first.checked("a", orders).inputs, first.checked("b", other).inputs];
    const next = plan(database);
    expect([...next.warned("a", orders, a), ...next.warned("b", other, b)]).toEqual([]);
    const allowed = plan(database, { "cloudservices:duplicates": "allow" });
    expect([...allowed.warned("a", orders), ...allowed.warned("b", other)]).toEqual([]);
  });

  it("is rejected as two schedules of one database whose id is known", () => {
    const nightly = { databaseId: "db_1", frequency: "daily", hourUtc: 3, retentionDays: 7 };
    const { said } = plan(backupSchedule);
    expect(said("a", nightly)).toEqual([]);
    expect(said("b", { ...nightly, databaseId: "db_2" })).toEqual([]);
    expect(said("c", { ...nightly, databaseId: UNKNOWN })).toEqual([]);
    expect(said("d", { ...nightly, hourUtc: 4 })).toEqual([
      expect.stringMatching(/^databaseId is also the databaseId of BackupSchedule "a", and .* only once/),
    ]);
  });

  it("is rejected as two links of one slug and domain, even if duplicates are allowed", () => {
    const { said } = plan(link, { "cloudservices:duplicates": "allow" });
    expect(said("a", launch)).toEqual([]);
    expect(said("b", { ...launch, domain: "go.example.com" })).toEqual([]);
    expect(said("c", { ...launch, url: "https://example.com/c" })).toEqual([
      expect.stringMatching(/^slug is also the slug of Link "a", and the service allows it only once/),
    ]);
    expect(said("d", { ...launch, domain: "GO.example.com" })).toEqual([
      expect.stringContaining('of Link "b"'),
    ]);
  });

  it("is accepted as two inboxes", () => {
    const { said } = plan(inbox);
    expect([...said("a", { prefix: "signup" }), ...said("b", { prefix: "signup" })]).toEqual([]);
  });
});

describe("check does not count as declared twice", () => {
  it("a resource that the engine checks again, as it does in a replacement", () => {
    const { checked } = plan(database);
    const { inputs } = checked("a", orders);
    const next = plan(database);
    const replaced = { ...orders, region: "us" };
    expect(next.said("a", replaced, inputs)).toEqual([]);
    expect(next.said("a", replaced)).toEqual([]);
    const forced = plan(database);
    expect([...forced.said("a", orders), ...forced.said("a", orders)]).toEqual([]);
  });

  it("an existing pair, in any order, but rejects a third one", () => {
    const first = plan(database, { "cloudservices:duplicates": "allow" });
    const [a, b] = [first.checked("a", orders).inputs, first.checked("b", orders).inputs];
    const next = plan(database);
    expect([...next.said("b", orders, b), ...next.said("a", orders, a)]).toEqual([]);
    expect(next.said("c", orders)).toEqual([expect.stringContaining('of Database "b"')]);
  });

  it("an existing resource, but rejects a new one, even if it is checked first", () => {
    const { inputs } = plan(database).checked("a", orders);
    const next = plan(database);
    expect(next.said("new", orders)).toEqual([]);
    expect(next.said("a", orders, inputs)).toEqual([expect.stringContaining('of Database "new"')]);
  });

  it("a name that another resource no longer has", () => {
    const { inputs } = plan(link).checked("a", launch);
    const next = plan(link);
    expect(next.said("b", launch)).toEqual([]);
    expect(next.said("a", { ...launch, slug: "former" }, inputs)).toEqual([]);
  });

  it("another name, but rejects the one that a replacement takes", () => {
    const { inputs } = plan(link).checked("b", { ...launch, slug: "other" });
    const next = plan(link);
    expect(next.said("a", launch)).toEqual([]);
    const twice = [expect.stringContaining('of Link "a"')];
    expect(next.said("b", launch, inputs)).toEqual(twice);
    expect(next.said("b", launch)).toEqual(twice);
  });

  it("an adopted resource, because nothing is created", () => {
    const { said } = plan(database);
    expect([...said("a", orders), ...said("b", { ...orders, adopt: "db_1" })]).toEqual([]);
  });

  it("resources with derived names", () => {
    const { name: _name, ...unnamed } = orders;
    const { said } = plan(database);
    expect([...said("a", unnamed), ...said("b", unnamed)]).toEqual([]);
  });
});
