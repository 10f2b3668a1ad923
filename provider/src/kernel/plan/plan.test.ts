import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  flag,
  integer,
  listOf,
  sameInstant,
  sameMembers,
  text,
  timestamp,
  webUrl,
} from "../definition/fields.js";
import { defineKind } from "../definition/kind.js";
import { type Properties, UNKNOWN } from "../definition/properties.js";
import { readSettings, type Settings } from "../settings/settings.js";
import { outputsOf } from "../state/outputs.js";
import { check } from "./check.js";
import { diff } from "./diff.js";
import { PlannedNames } from "./planned-names.js";

interface Inputs {
  name?: string;
  url: string;
  size: string;
  region: string;
  until?: string;
  tags?: string[];
  keys?: unknown[];
  secret?: string;
  count?: number;
  loud?: boolean;
}

const kind = defineKind<Inputs, Record<never, never>, { id: string }>({
  name: "Thing",
  inputs: {
    name: { schema: text(), onChange: "update", optional: true },
    url: { schema: webUrl(), onChange: "update" },
    size: { schema: text(), onChange: "update", allowedValues: ["small", "large"] },
    region: { schema: text(), onChange: "replace" },
    until: { schema: timestamp(), onChange: "update", optional: true, isEquivalent: sameInstant },
    tags: { schema: listOf(text(), "tags"), onChange: "update", optional: true, isEquivalent: sameMembers },
    keys: { schema: listOf(z.unknown(), "values"), onChange: "replace", optional: true },
    secret: { schema: text(), onChange: "update", optional: true, secret: true },
    count: { schema: integer(1, 9), onChange: "update", optional: true, default: 1 },
    loud: { schema: flag(), onChange: "update", optional: true, documentedChange: true },
  },
  outputs: {},
  timeouts: { create: 1, update: 1, delete: 1 },
  naming: { field: "name", form: "readable" },
  id: (remote) => remote.id,
  create: async () => ({ id: "x" }),
  read: async () => ({ id: "x" }),
  delete: async () => undefined,
});

const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Thing::thing";
const valid = { url: "https://example.com", size: "small", region: "eu", __urn: urn };

const settingsWith = (config: Record<string, string> = {}): Settings =>
  readSettings(
    (key) =>
      ({ "cloudservices:apiKey": "key", "cloudservices:baseUrl": "https://api.test/v1", ...config })[key],
    {},
  );
const settings = settingsWith();

const checked = (news: Properties, olds: Properties = {}, names = new PlannedNames(), by = settings) =>
  check(kind, olds, news, by, names);
const outputsFor = (inputs: Properties, found: { ready: boolean; failed?: string } = { ready: true }) =>
  outputsOf(kind, settings, inputs, undefined, {}, found);
const difference = (olds: Properties, news: Properties) =>
  diff(kind, outputsFor(olds), news, settings, new PlannedNames(), 0);

describe("check", () => {
  it("fills in defaults and derived names", () => {
    const name = expect.stringMatching(/^thing-\w{7}$/);
    expect(checked(valid).inputs).toEqual({ ...valid, count: 1, name, __name: name });
  });

  it("tells every wrong field at once, with what is allowed and the nearest match", () => {
    const { failures } = checked({ size: "smal", url: "ftp://x", count: 10, titel: 1, __urn: urn });
    expect(failures.map(({ reason }) => reason)).toEqual([
      'Thing has no input "titel"',
      "url (ftp://x/…) must be an absolute http or https URL",
      expect.stringMatching(
        /^size "smal" is not in the specification's list: small, large. Did you mean "small"\?/,
      ),
      "region is required",
      "count (10) must be a whole number from 1 to 9",
    ]);
    // The engine prints the value of a property that is named to it, also where the program made a secret of it.
    expect(failures.map(({ property }) => property)).toEqual(["", "", "", "", ""]);
  });

  it("never names a secret's property to the engine, which would print its value", () => {
    const { failures } = checked({ ...valid, secret: 5 });
    expect(failures).toEqual([{ property: "", reason: "secret must be a string" }]);
  });

  it("lets values pass that are not known yet", () => {
    const { inputs, failures } = checked({ ...valid, url: UNKNOWN, tags: ["a", UNKNOWN], region: UNKNOWN });
    expect(failures).toEqual([]);
    expect(inputs).toMatchObject({ url: UNKNOWN, tags: ["a", UNKNOWN], region: UNKNOWN });
  });

  it("lets values pass that the specification does not list, with a warning when they are new", () => {
    const huge = { ...valid, size: "huge" };
    expect(checked(huge)).toMatchObject({
      failures: [],
      notes: [
        'size "huge" is not in the specification\'s list (small, large): the service decides whether it exists.',
      ],
    });
    expect(checked(huge, huge).notes).toEqual([]);
    expect(checked(valid).notes).toEqual([]);
  });

  it("lets what looks misspelt pass where the stack allows it, and says nothing of it", () => {
    const lenient = settingsWith({ "cloudservices:allowUnlisted": "true" });
    const { failures, notes } = checked({ ...valid, size: "smal" }, {}, new PlannedNames(), lenient);
    expect([failures, notes]).toEqual([[], []]);
  });

  it("keeps the old spelling where the new one means the same", () => {
    const old = { ...valid, until: "2027-01-01T00:00:00Z", tags: ["a", "b"] };
    const { inputs } = checked({ ...valid, until: "2027-01-01T01:00:00+01:00", tags: ["b", "a"] }, old);
    expect(inputs).toMatchObject({ until: old.until, tags: old.tags });
  });

  it("takes an empty list and none for the same, whichever of them the state has", () => {
    const without = checked(valid).inputs;
    expect(checked({ ...valid, tags: [], keys: [] }, without).inputs).toEqual(without);
    const empty = checked({ ...valid, tags: [], keys: [] }).inputs;
    expect(empty).toMatchObject({ tags: [], keys: [] });
    expect(checked(valid, empty).inputs).toEqual(empty);
    expect(checked({ ...valid, keys: ["a"] }, empty).inputs).toMatchObject({ keys: ["a"], tags: [] });
    expect(checked(valid, { ...valid, keys: ["a"] }).inputs).not.toHaveProperty("keys");
  });

  it("keeps the name that a resource has, however it came by it", () => {
    expect(checked(valid, { ...valid, name: "by-hand" }).inputs).toMatchObject({ name: "by-hand" });
  });

  it("puts a derived name back that was changed by hand, and lets one be that the program has given", () => {
    const created = checked(valid).inputs;
    expect(checked(valid, { ...created, name: "by-hand" }).inputs).toEqual(created);
    const named = checked({ ...valid, name: "mine" }, created).inputs;
    expect(named).not.toHaveProperty("__name");
    expect(checked(valid, named).inputs).toMatchObject({ name: "mine" });
  });

  it("fills in no default for what a program that adopts does not mention", () => {
    const adopted = checked({ ...valid, adopt: "x1" }).inputs;
    expect(adopted).not.toHaveProperty("count");
    expect(checked(valid, adopted).inputs).not.toHaveProperty("count");
  });

  it("lets an adopted resource keep its name", () => {
    const adopted = checked({ ...valid, adopt: "x1" }).inputs;
    expect(adopted).not.toHaveProperty("name");
    expect(checked(valid, adopted).inputs).not.toHaveProperty("name");
  });

  it("gives a replacement a name of its own, and the same one in preview and up", () => {
    const plan = () => {
      const names = new PlannedNames();
      const first = checked(valid, { ...valid, name: "thing-0000000" }, names).inputs["name"];
      return [first, checked(valid, {}, names).inputs["name"]];
    };
    const [kept, successor] = plan();
    expect(kept).toBe("thing-0000000");
    expect(successor).not.toBe(kept);
    expect(successor).not.toBe(checked(valid).inputs["name"]);
    expect(plan()).toEqual([kept, successor]);
  });

  it("gives the replacement of an adopted resource another name than the first one's, which that may have", () => {
    const plan = () => {
      const names = new PlannedNames();
      const adopted = checked({ ...valid, adopt: "x1" }).inputs;
      expect(checked({ ...valid, region: "us" }, adopted, names).failures).toEqual([]);
      return checked({ ...valid, region: "us" }, {}, names).inputs["name"];
    };
    expect(plan()).toMatch(/^thing-/);
    expect(plan()).not.toBe(checked(valid).inputs["name"]);
    expect(plan()).toBe(plan());
  });

  it("knows a resource by the place in the program that it has now", () => {
    const { inputs } = checked({ ...valid, __urn: `${urn}-renamed` }, { ...valid, name: "n" });
    expect(inputs).toMatchObject({ __urn: `${urn}-renamed`, name: "n" });
  });

  it("takes adopting for a matter of creation only", () => {
    expect(checked({ ...valid, adopt: "x1" }).inputs).toMatchObject({ adopt: "x1" });
    expect(checked({ ...valid, adopt: "x1" }, valid).inputs).not.toHaveProperty("adopt");
    expect(checked(valid, { ...valid, adopt: "x1" }).inputs).toMatchObject({ adopt: "x1" });
    const moved = checked({ ...valid, adopt: "x1", region: "us" }, { ...valid, adopt: "x1" });
    expect(moved.failures).toEqual([
      { property: "", reason: expect.stringContaining("a change of region creates a new resource") },
    ]);
  });

  it("refuses a change that has no documented request, in the mode `documented`", () => {
    const documented = settingsWith({ "cloudservices:api": "documented" });
    const change = (news: Properties, by: Settings) =>
      checked({ ...valid, ...news }, checked(valid).inputs, new PlannedNames(), by).failures;
    expect(change({ url: "https://other.test" }, documented)).toEqual([
      { property: "", reason: expect.stringMatching(/^url .*the specification shows no request/) },
    ]);
    expect(change({ loud: true }, documented)).toEqual([]);
    const abandoning = settingsWith({
      "cloudservices:api": "documented",
      "cloudservices:undeletable": "abandon",
    });
    expect(change({ url: "https://other.test" }, abandoning)).toEqual([]);
  });

  it("refuses a replacement whose predecessor could not be deleted, in the mode `documented`", () => {
    const documented = { "cloudservices:api": "documented" };
    const move = (news: Properties, config: Record<string, string>) =>
      checked(
        { ...valid, region: "us", ...news },
        checked(valid).inputs,
        new PlannedNames(),
        settingsWith(config),
      );
    expect(move({}, documented).failures).toEqual([
      {
        property: "",
        reason: expect.stringMatching(
          /^a change of region creates a new Thing, .* old value.*undeletable to abandon.*retainOnDelete: true/,
        ),
      },
    ]);
    // The engine goes by the option that the predecessor had in the last run.
    expect(move({ __retainOnDelete: true }, documented).failures).toHaveLength(1);
    const by = settingsWith(documented);
    const retained = checked(
      { ...valid, __retainOnDelete: true },
      checked(valid).inputs,
      new PlannedNames(),
      by,
    );
    expect(retained.failures).toEqual([]);
    const moved = { ...valid, region: "us", __retainOnDelete: true };
    expect(checked(moved, retained.inputs, new PlannedNames(), by).failures).toEqual([]);
    expect(checked({ ...valid, __retainOnDelete: true }).inputs).not.toHaveProperty("__retainOnDelete");
    expect(move({}, { ...documented, "cloudservices:undeletable": "abandon" }).failures).toEqual([]);
    expect(move({}, {}).failures).toEqual([]);
  });

  it("refuses what a replacement may not do also where somebody else has planned it", () => {
    const replaced = (news: Properties, by: Settings) => {
      const names = new PlannedNames();
      checked(valid, { ...valid, name: "n" }, names, by);
      return checked({ ...valid, ...news }, {}, names, by).failures;
    };
    expect(replaced({ adopt: "x1" }, settings)).toEqual([
      { property: "", reason: expect.stringContaining("cannot adopt the old one. Remove `adopt`") },
    ]);
    // Only under a derived name is a leftover taken over.
    expect(replaced({ adopt: "x1" }, settings)).toEqual([
      { property: "", reason: expect.stringContaining("cloudservices:adoptInterrupted") },
    ]);
    expect(replaced({ adopt: "x1", name: "given" }, settings)).toEqual([
      { property: "", reason: expect.stringMatching(/delete it at the service$/) },
    ]);
    expect(replaced({}, settings)).toEqual([]);
    const documented = settingsWith({ "cloudservices:api": "documented" });
    expect(replaced({}, documented)).toEqual([
      { property: "", reason: expect.stringMatching(/^replacing it creates a new Thing/) },
    ]);
    expect(replaced({ __retainOnDelete: true }, documented)).toEqual([]);
  });

  it("fails with what the class refuses, and with that alone", () => {
    const { inputs, failures } = checked({ __refused: ["no id", "no such setting"], __urn: urn });
    expect(failures).toEqual([
      { property: "", reason: "no id" },
      { property: "", reason: "no such setting" },
    ]);
    expect(inputs).toEqual({});
  });

  it("leaves a resource of an earlier version without the defaults that came later", () => {
    const old = { ...valid, name: "n" };
    expect(checked(valid, old).inputs).toEqual(old);
  });

  it("is idempotent", () => {
    fc.assert(
      fc.property(inputs, (news) => {
        const once = checked({ ...news, __urn: urn }).inputs;
        expect(checked(once, once)).toEqual({ inputs: once, failures: [], notes: [] });
      }),
    );
  });
});

describe("diff", () => {
  it("leaves changes in place to the engine, which names the fields", () => {
    expect(difference(valid, { ...valid, url: "https://b.test" })).toEqual({
      changes: undefined,
      replaces: [],
      deleteBeforeReplace: false,
    });
  });

  it("names the fields that only a new resource can have", () => {
    expect(difference(valid, { ...valid, region: "us" }).replaces).toEqual(["region"]);
  });

  it("replaces nothing for an empty list", () => {
    expect(difference(valid, { ...valid, keys: [] }).replaces).toEqual([]);
    expect(difference({ ...valid, keys: [] }, valid).replaces).toEqual([]);
    expect(difference({ ...valid, keys: [] }, { ...valid, keys: [1] }).replaces).toEqual(["keys"]);
  });

  it("asks for work on what has not ready", () => {
    const news = { ...valid };
    expect(
      diff(kind, outputsFor(news, { ready: false }), news, settings, new PlannedNames(), 0),
    ).toMatchObject({ changes: true, replaces: [] });
  });

  it("replaces what failed before it ever worked, and never what has worked", () => {
    const failed = outputsFor(valid, { ready: false, failed: "no capacity" });
    expect(diff(kind, failed, valid, settings, new PlannedNames(), 0)).toMatchObject({
      changes: true,
      replaces: ["status"],
    });
    const worked = outputsOf(kind, settings, valid, undefined, outputsFor(valid), {
      ready: false,
      failed: "broken",
    });
    expect(diff(kind, worked, valid, settings, new PlannedNames(), 0)).toMatchObject({
      changes: true,
      replaces: [],
    });
  });

  it("sees no change between equal meanings, and plans a replacement for nothing else than `replace`", () => {
    fc.assert(
      fc.property(inputs, inputs, (a, b) => {
        const names = new PlannedNames();
        const before = checked({ ...a, __urn: urn }, {}, names).inputs;
        const after = checked({ ...b, __urn: urn }, before, names).inputs;
        expect(diff(kind, outputsFor(before), after, settings, names, 0).replaces).toEqual(
          a.region === b.region ? [] : ["region"],
        );
        expect(checked({ ...a, __urn: urn }, before).inputs).toEqual(before);
      }),
    );
  });
});

const inputs = fc.record(
  {
    url: fc.webUrl(),
    size: fc.constantFrom("small", "large"),
    region: fc.constantFrom("eu", "us"),
    until: fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((date) => date.toISOString()),
    tags: fc.array(fc.string({ minLength: 1 })),
    count: fc.integer({ min: 1, max: 9 }),
    loud: fc.boolean(),
    secret: fc.string({ minLength: 1 }),
  },
  { requiredKeys: ["url", "size", "region"] },
);
