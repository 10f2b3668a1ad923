import { describe, expect, it } from "vitest";
import { Database } from "./resources/database.js";
import { Link } from "./resources/link.js";

describe("what policy packs ask of a class", () => {
  const type = "pulumi-nodejs:dynamic/cloudservices:Database";

  it("is its type", () => {
    expect(Database.__pulumiType).toBe(type);
  });

  it("is whether a resource is of it, of which they have only the type", () => {
    // Unbound, as the policy library calls it.
    const { isInstance } = Database;
    expect(isInstance({ __pulumiType: type })).toBe(true);
    expect(Link.isInstance({ __pulumiType: type })).toBe(false);
    for (const other of [undefined, null, "", {}, { __pulumiType: "other" }])
      expect(isInstance(other)).toBe(false);
  });
});

it("the types take a time limit for reading", () => {
  const options: ConstructorParameters<typeof Link>[2] = { customTimeouts: { read: "30s", create: "1m" } };
  expect(options?.customTimeouts?.read).toBe("30s");
});
