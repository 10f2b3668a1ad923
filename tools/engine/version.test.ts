import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { engineVersion, goVersion, isAtLeast } from "./version.mjs";

describe("comparing versions", () => {
  it.each([
    ["3.220.0", "3.220.0", true],
    ["v3.221.0-dev.0", "3.220.0", true],
    ["go1.26.8", "1.25", true],
    ["go1.25", "1.25", true],
    ["3.9.0", "3.220.0", false],
    ["2.999.0", "3.220.0", false],
    ["3.219.9", "3.220.0", false],
    ["4.0.0", "3.220.0", true],
    ["devel", "1.25", false],
  ])("%s is at least %s: %s", (version, minimum, expected) => {
    expect(isAtLeast(version, minimum)).toBe(expected);
  });
});

it("matches the versions in the Go module that is built", () => {
  const module = readFileSync(new URL("cli/go.mod", import.meta.url), "utf8");
  expect(module).toContain(`github.com/pulumi/pulumi/pkg/v3 v${engineVersion} `);
  expect(module).toMatch(new RegExp(`^go ${goVersion}$`, "m"));
});
