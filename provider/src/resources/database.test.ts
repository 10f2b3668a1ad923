import type { ListedDatabase as RemoteDatabase } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { disagreements } from "../kernel/definition/changes.js";
import type { Properties } from "../kernel/definition/properties.js";
import { PlannedNames } from "../kernel/plan/planned-names.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import { inputsOfOutputs, outputsOf } from "../kernel/state/outputs.js";
import { check, diff } from "../test-support/operations.js";
import { database } from "./database.js";

const config: Record<string, string> = {
  "cloudservices:apiKey": "key",
  "cloudservices:baseUrl": "https://api.test/v1",
};
const settings = readSettings((key) => config[key], {});
const open = readSettings((key) => ({ ...config, "cloudservices:allowUnlisted": "true" })[key], {});

const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Database::orders";
const requesting = (version: string): Properties => ({
  engine: "postgresql",
  version,
  plan: "db-starter-1",
  region: "eu-central-1",
  __urn: urn,
});

/** Returns the state after a refresh in which the service returns a version for the requested one. */
function refreshed(requested: string, returned: string) {
  const { inputs } = check(database, {}, requesting(requested), open, new PlannedNames());
  const remote: RemoteDatabase = { id: "db_1", version: returned, status: "ready" };
  const outputs = outputsOf(database, settings, inputs, remote, {}, { ready: true });
  return { inputs: inputsOfOutputs(database, inputs, outputs), outputs };
}

function planned({ inputs, outputs }: ReturnType<typeof refreshed>, version: string, under = settings) {
  const names = new PlannedNames();
  const next = check(database, inputs, requesting(version), under, names);
  const { replaces } = diff(database, outputs, next.inputs, under, names, 0);
  return {
    failures: next.failures,
    changes: next.inputs["version"] !== inputs["version"],
    replaces,
  };
}

const nothing = { failures: [], changes: false, replaces: [] };

describe("a version that the service returns more precisely than the program sets it", () => {
  it("is no drift: the program's spelling stays, and nothing is planned", () => {
    const after = refreshed("16", "16.4");
    expect(after.outputs["version"]).toBe("16");
    expect(planned(after, "16")).toEqual(nothing);
  });

  it("is no change either if an earlier refresh stored it, and may stay unlisted", () => {
    const before = refreshed("16.4", "16.4");
    expect(before.inputs["version"]).toBe("16.4");
    expect(planned(before, "16")).toEqual(nothing);
  });

  it("matches what an adopting program requests", () => {
    expect(disagreements(database, requesting("16"), { id: "db_1", version: "16.4" })).toEqual([]);
    expect(disagreements(database, requesting("16"), { id: "db_1", version: "15.4" })).toEqual(["version"]);
  });

  it.each(["16.4", "16"])("cannot go down from %s to an older one", (returned) => {
    const { failures } = planned(refreshed(returned, returned), "15");
    expect(failures).toMatchObject([
      {
        code: "CHANGE_NOT_ALLOWED",
        summary: `version cannot go down: the database runs ${returned}`,
        fixes: [{ line: 'set the option `replaceOnChanges: ["version"]` on the resource itself' }],
      },
    ]);
  });

  it.each([
    ["15", "15.9", "16"],
    ["16.3", "16.3", "16.4"],
    ["16", "16.2", "16.4"],
    ["1", "1", "16"],
  ])("requested as %s and returned as %s goes up in place to %s", (requested, returned, next) => {
    expect(planned(refreshed(requested, returned), next, open)).toEqual({ ...nothing, changes: true });
  });

  it("is drift if it is another version", () => {
    expect(refreshed("15", "16.1").outputs["version"]).toBe("16.1");
    expect(refreshed("1", "16").outputs["version"]).toBe("16");
  });
});

it("a precise version does not drift if the service returns a less precise one", () => {
  const after = refreshed("16.4", "16");
  expect(after.outputs["version"]).toBe("16.4");
  expect(planned(after, "16.4", open)).toEqual(nothing);
});

describe("a change that an existing database does not support", () => {
  const plans = (from: string, to: string, options: Properties = {}) => {
    const held = { ...requesting("16"), plan: from };
    return check(database, held, { ...held, plan: to, ...options }, settings, new PlannedNames()).failures;
  };

  it("is rejected, and the message names the option that replaces the database", () => {
    expect(plans("db-pro-4", "db-starter-1")).toMatchObject([
      {
        code: "CHANGE_NOT_ALLOWED",
        fixes: [{ line: 'set the option `replaceOnChanges: ["plan"]` on the resource itself' }],
      },
    ]);
  });

  it.each([["plan"], ["*"]])("is allowed if the program replaces on a change of %s", (path) => {
    expect(plans("db-pro-4", "db-starter-1", { __replaceOnChanges: [path] })).toEqual([]);
  });
});

it("an unlisted version passes with a warning, unless it looks misspelt", () => {
  const seen = (version: string) => check(database, {}, requesting(version), settings, new PlannedNames());
  expect(seen("17")).toMatchObject({
    failures: [],
    notes: [expect.stringContaining('version "17" is not in')],
  });
  expect(seen("v16").failures).toMatchObject([{ code: "INPUT_UNLISTED", fixes: [{ line: '"16"' }, {}] }]);
});

it("outputs the properties of a listed plan, and none of an unlisted one", () => {
  const { ramGb, vcpus, storageGb, maxConnections, backupRetentionDays } = database.outputs;
  const from = (plan?: string) =>
    [ramGb, vcpus, storageGb, maxConnections, backupRetentionDays].map((output) =>
      output.from({ id: "db_1" }, { plan }),
    );
  // Specification: "Database", Plan tiers.
  expect(from("db-standard-2")).toEqual([4, 2, 60, 500, 14]);
  expect(from("db-huge-64")).toEqual(Array(5).fill(null));
  expect(from()).toEqual(Array(5).fill(undefined));
});
