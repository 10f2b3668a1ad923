import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deriveName } from "./names.js";

const urn = "urn:pulumi:dev::shop::pulumi-nodejs:dynamic/cloudservices:Database::Orders DB";
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

  it("begins with the resource's name as far as a name may hold it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        expect(deriveName("readable", { ...seed, urn: `a::${name}` })).toMatch(
          /^[a-z0-9][a-z0-9-]*-[a-z0-9]{7}$/,
        );
      }),
    );
  });
});
