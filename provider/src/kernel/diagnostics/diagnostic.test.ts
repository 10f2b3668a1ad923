import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { anchorOf, CODES, render } from "./diagnostic.js";

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
