import type { ListedVpsInstance as RemoteInstance } from "cloudservices-sdk";
import { describe, expect, it } from "vitest";
import { PlannedNames } from "../kernel/plan/planned-names.js";
import { readSettings } from "../kernel/settings/read-settings.js";
import { check } from "../test-support/operations.js";
import { vpsInstance } from "./vps-instance.js";

const { monthlyPriceUsd, hourlyPriceUsd, bandwidthTb } = vpsInstance.outputs;
const pricesOf = (plan: string | undefined) => {
  const remote: RemoteInstance = { id: "vps_1", status: "running", plan };
  return [monthlyPriceUsd?.from(remote), hourlyPriceUsd?.from(remote)];
};

it("the traffic of a server is that of its plan, and unknown for an unlisted one", () => {
  const of = (plan: string) => bandwidthTb?.from({ id: "vps_1", status: "running", plan });
  // Specification: "VPS instance", Plans.
  expect([of("vps-standard-2"), of("vps-huge-64")]).toEqual([4, undefined]);
});

describe("the prices of a server", () => {
  // Specification: "VPS instance", Plans: "Price per month", "Price per hour".
  it.each([
    ["vps-micro-1", 4, 0.0055],
    ["vps-standard-2", 15, 0.0208],
    ["vps-standard-4", 30, 0.0416],
    ["vps-memory-8", 55, 0.0763],
    ["vps-compute-8", 80, 0.1111],
    ["vps-enterprise-16", 150, 0.2083],
  ])("on the plan %s are %d USD a month and %d USD an hour", (plan, monthly, hourly) => {
    expect(pricesOf(plan)).toEqual([monthly, hourly]);
  });

  it.each(["vps-huge-64", undefined])("on the plan %s are unknown", (plan) => {
    expect(pricesOf(plan)).toEqual([undefined, undefined]);
  });
});

describe("a changed userData", () => {
  const config: Record<string, string> = {
    "cloudservices:apiKey": "key",
    "cloudservices:baseUrl": "https://api.test/v1",
  };
  const settings = readSettings((key) => config[key], {});
  const held = { plan: "vps-micro-1", region: "eu", image: "debian-12", userData: "#!/bin/sh" };
  const notes = (news: Record<string, unknown>) =>
    check(vpsInstance, held, { ...held, ...news }, settings, new PlannedNames()).notes;

  it("is reported as not running before the next rebuild, and never shown", () => {
    expect(notes({ userData: "canary" })).toEqual([
      expect.stringContaining("does not run before the next rebuild"),
    ]);
    expect(notes({ userData: "canary" }).join()).not.toContain("canary");
  });

  it("causes no warning when it creates a new server, or is the same", () => {
    expect(notes({ userData: "canary", replaceOnUserDataChange: true })).toEqual([]);
    expect(notes({})).toEqual([]);
  });
});
