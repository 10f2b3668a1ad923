import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../setup/paths.mjs";
import { withVersion as changelogWith, notesOf } from "./changelog.mjs";
import { manifestsIn, mentions, requireVersion, withVersion } from "./versions.mjs";

describe("the changelog", () => {
  const text =
    "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One.\n\n## [0.1.0] - 2026-01-01\n\n- First.\n";

  it("gives the unreleased changes a version and keeps an empty section", () => {
    const released = changelogWith(text, "0.2.0", "2026-02-03");
    expect(released).toContain("## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Added\n\n- One.");
    expect(notesOf(released, "0.2.0")).toBe("### Added\n\n- One.");
    expect(notesOf(released, "0.1.0")).toBe("- First.");
    expect(() => changelogWith(released, "0.3.0", "2026-02-04")).toThrow("nothing below");
  });

  it("refuses a version that it has, and one that it lacks", () => {
    expect(() => changelogWith(text, "0.1.0", "2026-02-03")).toThrow("already");
    expect(() => notesOf(text, "0.1")).toThrow("no section");
  });

  it("of this repository has unreleased changes or a section of the present version", () => {
    const ours = readFileSync(join(root, "CHANGELOG.md"), "utf8");
    expect(notesOf(changelogWith(ours, "999.0.0", "2026-01-01"), "999.0.0")).toContain("###");
  });
});

describe("the version", () => {
  it("is the same in all places of this repository", () => {
    const found = mentions(root);
    expect(found.length).toBeGreaterThan(8);
    const [{ version } = { version: "none" }] = found;
    requireVersion(found, version);
    expect(() => requireVersion(found, "999.0.0")).toThrow("sdk/package.json");
  });

  it("is written to our packages and to what depends on them, and nothing else changes", () => {
    for (const path of manifestsIn(root)) {
      const text = readFileSync(join(root, path), "utf8");
      const changed = withVersion(text, "999.0.0");
      expect(changed.split("\n").length).toBe(text.split("\n").length);
      const lines = changed.split("\n").filter((line, at) => line !== text.split("\n")[at]);
      for (const line of lines)
        expect(line).toMatch(/"(version|cloudservices-\w+|pulumi-cloudservices)": "999\.0\.0"/);
    }
  });
});
