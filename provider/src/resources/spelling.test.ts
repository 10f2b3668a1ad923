import { describe, expect, it } from "vitest";
import { disagreements, isEquivalent } from "../kernel/definition/changes.js";
import { database } from "./database.js";
import { inbox } from "./inbox.js";
import { link } from "./link.js";
import { vpsInstance } from "./vps-instance.js";

/*
 * A service that spells a word in another case has not changed it: neither drift nor a replacement may follow.
 */

describe("another case", () => {
  it.each([
    ["the engine of a database", database.inputs.engine, "postgresql", "PostgreSQL"],
    ["the plan of a database", database.inputs.plan, "db-starter-1", "DB-Starter-1"],
    ["the region of a database", database.inputs.region, "eu-central-1", "EU-CENTRAL-1"],
    ["the plan of a server", vpsInstance.inputs.plan, "vps-micro-1", "VPS-MICRO-1"],
    ["the region of a server", vpsInstance.inputs.region, "eu-central-1", "EU-Central-1"],
    ["the image of a server", vpsInstance.inputs.image, "debian-12", "Debian-12"],
    ["the domain of a link", link.inputs.domain, "go.example.com", "Go.Example.com"],
    ["the domain of an inbox", inbox.inputs.domain, "mail.example.com", "MAIL.example.com"],
  ])("is the same for %s", (_what, input, a, b) => {
    expect(isEquivalent(input, a, b)).toBe(true);
    expect(isEquivalent(input, a, `${b}x`)).toBe(false);
  });

  it.each([
    ["the slug of a link", link.inputs.slug, "docs"],
    ["the name of a database", database.inputs.name, "orders"],
    ["the id of a database's network", database.inputs.vpcId, "vpc_a"],
    ["the name of a server", vpsInstance.inputs.name, "web"],
  ])("is another value for %s", (_what, input, value) => {
    expect(isEquivalent(input, value, value.toUpperCase())).toBe(false);
  });

  it("does not prevent an adoption", () => {
    const remote = { id: "vps_1", region: "EU-CENTRAL-1", plan: "VPS-MICRO-1" };
    expect(disagreements(vpsInstance, { region: "eu-central-1", plan: "vps-micro-1" }, remote)).toEqual([]);
  });

  it("does not hide the contents of a plan", () => {
    const remote = { id: "vps_1", plan: "VPS-MICRO-1" };
    expect(vpsInstance.outputs.monthlyPriceUsd.from(remote)).toBe(4);
  });
});
