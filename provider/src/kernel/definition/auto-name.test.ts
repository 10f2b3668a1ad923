import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveName, logicalName } from "./auto-name.js";

const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Database::Orders DB";
const named = (name: string) => `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Database::${name}`;
const seed = { urn, namespace: undefined };

describe("a derived name", () => {
  it("is the same in every run and on every machine", () => {
    expect(deriveName("readable", seed)).toBe("orders-db-bb0xu98");
    expect(deriveName("hash", seed)).toBe("bb0xu9");
  });

  it("differs between stacks, parents, namespaces, predecessors and candidates", () => {
    const names = [
      deriveName("hash", seed),
      deriveName("hash", { ...seed, urn: urn.replace("dev", "prod") }),
      deriveName("hash", { ...seed, namespace: "team-a" }),
      deriveName("hash", seed, "abc123"),
      deriveName("hash", seed, undefined, 1),
      deriveName("hash", seed, undefined, 2),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it("begins with the valid characters of the resource's name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const derived = deriveName("readable", { ...seed, urn: named(name) });
        expect(derived).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?-[a-z0-9]{7}$/);
        expect(derived.length).toBeLessThanOrEqual(40);
      }),
    );
  });

  it("is short enough for most services, and keeps its whole hash", () => {
    const long = deriveName("readable", { ...seed, urn: named("customer-onboarding-verification-mails") });
    expect(long).toMatch(/^customer-onboarding-verification-[a-z0-9]{7}$/);
    const longer = deriveName("readable", {
      ...seed,
      urn: named("customer-onboarding-verification-mails-2"),
    });
    expect(longer).not.toBe(long);
  });
});

describe("the name in the program", () => {
  it.each(["orders", "a::b", "::", "a:b", "Ünï ©øðé"])("is complete, as in %j", (name) => {
    expect(logicalName(named(name))).toBe(name);
  });

  it("is separate from the types of its parents", () => {
    expect(logicalName("urn:pulumi:dev::shop::shop:index:Cell$cloudservices:index:Inbox::a::b")).toBe("a::b");
  });
});
