import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { setting } from "../settings/setting-change.js";
import { anchorOf, CODES, render } from "./diagnostic.js";
import type { SettingsPlace } from "./line.js";

const page = readFileSync(new URL("../../../../docs/troubleshooting.md", import.meta.url), "utf8");

describe("a rendered diagnostic", () => {
  it("has the summary and the code in its first line, which is all that the engine's rows show", () => {
    const fixes = [{ when: "if it is yours", line: 'adopt: "db_01"' }, { line: "pulumi up" }];
    const text = render({ code: "NAME_IN_USE", summary: "not created", cause: "a leftover.", fixes });
    expect(text.split("\n")).toEqual([
      "not created [NAME_IN_USE]",
      "  cause: a leftover.",
      '  if it is yours: adopt: "db_01"',
      "  fix: pulumi up",
      "  more: docs/troubleshooting.md#name-in-use",
    ]);
  });

  describe("names a setting where the program sets it", () => {
    const text = (place?: SettingsPlace) =>
      render(
        {
          code: "KEY_CHANGED",
          summary: "not found",
          fixes: [
            { when: "if it is wrong", line: [setting("apiKey")] },
            { when: "if not", line: [setting("acceptKeyChange", true), ", then pulumi up"] },
            { when: "if it moved", line: [setting("formerBaseUrls", ["https://a.test/v1"])] },
            { when: "if it had another provider", line: "that one", isNative: true },
          ],
        },
        place,
      )
        .split("\n")
        .slice(1, -1);
    const inStack = [
      "  if it is wrong: pulumi config set --secret cloudservices:apiKey",
      "  if not: pulumi config set cloudservices:acceptKeyChange true, then pulumi up",
      "  if it moved: pulumi config set cloudservices:formerBaseUrls https://a.test/v1",
    ];
    const another = "  if it had another provider: that one";

    it("in the configuration of the stack", () => {
      expect(text()).toEqual(inStack);
      expect(text("stack")).toEqual(inStack);
    });

    it("there too for the default provider", () => {
      expect(text("default provider")).toEqual([...inStack, another]);
    });

    it("in the arguments of a provider", () => {
      expect(text({ provider: "eu" })).toEqual([
        '  if it is wrong: apiKey in the arguments of the provider "eu"',
        '  if not: acceptKeyChange: true in the arguments of the provider "eu", then pulumi up',
        '  if it moved: formerBaseUrls: ["https://a.test/v1"] in the arguments of the provider "eu"',
        another,
      ]);
      // An older engine does not send its name.
      expect(text({ provider: "" })[0]).toBe("  if it is wrong: apiKey in the arguments of the provider");
    });
  });

  it("leaves out what is unknown", () => {
    expect(render({ code: "READ_FAILED", summary: "not read" }).split("\n")).toHaveLength(2);
  });
});

describe("docs/troubleshooting.md", () => {
  const sections = [...page.matchAll(/^## ([a-z-]+)\n\n\*\*`([A-Z_]+)`\*\*/gm)];

  it("has one section for each code, in alphabetical order", () => {
    expect(sections.map(([, , code]) => code)).toEqual([...CODES].sort());
  });

  it.each(sections.map(([, anchor, code]) => [code, anchor]))("links %s by its anchor", (code, anchor) => {
    expect(CODES.map(anchorOf)).toContain(anchor);
    expect(code?.toLowerCase().replaceAll("_", "-")).toBe(anchor);
  });
});
