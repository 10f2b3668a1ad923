import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { faultClasses } from "./catalogue/fault.js";
import { kinds } from "./evidence/kinds.js";
import { lostCreation, prose } from "./failure-prose.js";

/*
 * The figures of docs/failure-model.md are those of one run. Its prose, kinds and faults must be up to date.
 */

const text = readFileSync(fileURLToPath(new URL("../../docs/failure-model.md", import.meta.url)), "utf8");
const sections = text.split(/^#{2,3} /m);

describe("docs/failure-model.md", () => {
  it.each(faultClasses)("has the text and a row for each kind under %s", (each) => {
    const section = sections.find((one) => one.startsWith(`${prose[each].title} (\`${each}\`)`)) ?? "";
    for (const part of [prose[each].fault, prose[each].happens, prose[each].see, prose[each].todo])
      expect(section).toContain(part);
    for (const kind of kinds) expect(section).toMatch(new RegExp(`^\\| ${kind} \\| \\d+ \\|`, "m"));
  });

  it.each(kinds)("says what happens when the creation of %s is lost", (kind) => {
    const section = sections.find((one) => one.startsWith("Lost creations")) ?? "";
    expect(section).toContain(`| ${kind} | ${lostCreation[kind].happens} |`);
  });
});
