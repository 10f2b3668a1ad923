import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { describe, expect, it } from "vitest";
import { rules } from "../judge/index.js";
import { mutants } from "./index.js";
import { type Mutant, mutated } from "./mutant.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));

describe("a mutant", () => {
  const made = (find: string): Mutant => ({
    name: "made",
    breaks: "nothing",
    changes: [{ file: "a/b.js", find, replace: "two" }],
    foundBy: [],
    hunts: [],
  });

  it("changes only its own module", () => {
    expect(mutated(made("one"), "/checkout/a/b.js", "= one;")).toBe("= two;");
    expect(mutated(made("one"), "/checkout/a/c.js", "= one;")).toBe("= one;");
  });

  it.each(["= zero;", "= one + one;"])("fails unless its text occurs exactly once: %s", (source) => {
    expect(() => mutated(made("one"), "/checkout/a/b.js", source)).toThrow(
      "mutant made: a/b.js has this text",
    );
  });
});

describe("the mutants", () => {
  it("are at least sixteen, each with a unique name and a rule that catches it", () => {
    expect(mutants.length).toBeGreaterThanOrEqual(16);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
    expect(mutants.filter(({ hunts, foundBy }) => hunts.length === 0 || foundBy.length === 0)).toEqual([]);
    const known = rules.map(({ name }) => name);
    expect(mutants.flatMap(({ foundBy }) => foundBy).filter((name) => !known.includes(name))).toEqual([]);
  });

  it.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
    "%s fits the built product",
    (_, mutant) => {
      for (const file of new Set(mutant.changes.map((change) => change.file))) {
        const source = readFileSync(`${root}${file}`, "utf8");
        const changed = mutated(mutant, `${root}${file}`, source);
        expect(changed).not.toBe(source);
        for (const [, name = ""] of changed.matchAll(/wrap\(exports, "(\w+)"/g))
          expect(source).toContain(`exports.${name} =`);
        expect(compileFunction(changed, ["exports", "require", "module"])).toBeTypeOf("function");
      }
    },
  );
});
