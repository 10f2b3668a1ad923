import { describe, expect, it } from "vitest";
import { Database, Link } from "./dynamic.js";

describe("a class, for policy packs", () => {
  const type = "pulumi-nodejs:dynamic/cloudservices:Database";

  it("has its type", () => {
    expect(Database.__pulumiType).toBe(type);
  });

  it("recognises a resource by its type alone", () => {
    // Unbound, as the policy library calls it.
    const { isInstance } = Database;
    expect(isInstance({ __pulumiType: type })).toBe(true);
    expect(Link.isInstance({ __pulumiType: type })).toBe(false);
    for (const other of [undefined, null, "", {}, { __pulumiType: "other" }])
      expect(isInstance(other)).toBe(false);
  });
});

it("the types accept a timeout for reads", () => {
  const options: ConstructorParameters<typeof Link>[2] = { customTimeouts: { read: "30s", create: "1m" } };
  expect(options?.customTimeouts?.read).toBe("30s");
});
