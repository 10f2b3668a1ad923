import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { errorsIn, type Program } from "./compile.js";
import { type Block, blocks, pages, root } from "./pages.js";

/*
 * The code in the documentation. A block with an import begins a program, and a block without one continues the program
 * before it, with what a comment gives it: `<!-- given: id: string; signal: AbortSignal -->`. A first line such as
 * `// shop.ts` names the file of a program, for the imports of others on its page.
 */

const isProgram = ({ language }: Block) => /^(ts|js)$/.test(language);

const countLines = (text: string) => text.split("\n").length - 1;

function programsOf(page: string): Program[] {
  const programs: Program[] = [];
  // A folder that does not exist: the files are in memory, and find the packages of the checkout.
  const folder = join(root, "pages", page);
  for (const block of blocks.filter((block) => block.page === page && isProgram(block))) {
    const given = block.given.replaceAll(/([^;:]+):([^;]+)(;|$)/g, "let $1!:$2; ");
    const current = programs.at(-1);
    if (/^import /m.test(block.text) || !current) {
      const [, name = `${block.line}.${block.language === "js" ? "mjs" : "ts"}`] =
        /^\/\/ (\S+\.\w+)$/m.exec(block.text.split("\n", 1)[0] ?? "") ?? [];
      // An import keeps a file from being a script, whose names are those of all scripts.
      const text = given ? `${given} ${block.text}` : block.text;
      programs.push({ file: join(folder, name), text: `${text}export {};\n`, parts: [{ from: 0, block }] });
    } else {
      current.parts.push({ from: countLines(current.text), block });
      current.text += `{ ${given} ${block.text}}\n`;
    }
  }
  return programs;
}

it("finds the blocks of every page, with their lines", () => {
  expect(blocks.filter(isProgram).length).toBeGreaterThan(40);
  const [first] = blocks.filter(({ page }) => page === "docs/index.md");
  expect(pages.find(({ path }) => path === "docs/index.md")?.text.split("\n")[(first?.line ?? 0) - 1]).toBe(
    first?.text.split("\n")[0],
  );
});

/** A program whose second block is wrong. */
function wrongProgram(): Program {
  const at = (line: number, text: string): Block => ({ page: "a.md", line, language: "ts", text, given: "" });
  const first = 'import { Link } from "pulumi-cloudservices";\n';
  const second = '\nnew Link("home", {});\n';
  return {
    file: join(root, "pages/a.md/1.ts"),
    text: `${first}{ ${second}}\n`,
    parts: [
      { from: 0, block: at(1, first) },
      { from: 1, block: at(11, second) },
    ],
  };
}

it("compiles every program, and finds the one that is wrong", { timeout: 60_000 }, () => {
  const programs = [...new Set(blocks.map(({ page }) => page))].flatMap(programsOf);
  // Together, because the compiler reads Pulumi's types for each run.
  expect(errorsIn([...programs, wrongProgram()])).toEqual([
    expect.stringMatching(/^a\.md:12: .*'url' is missing/s),
  ]);
});

describe("every block", () => {
  const parsers: Readonly<Record<string, (text: string) => void>> = {
    json: (text) => void JSON.parse(text),
    yaml: (text) => {
      for (const { errors } of parseAllDocuments(text)) if (errors[0]) throw errors[0];
    },
  };
  const checkedElsewhere = /^(|ts|js|sh|console)$/;

  it("has a language that a test knows", () => {
    const known = ({ language }: Block) => checkedElsewhere.test(language) || language in parsers;
    expect(blocks.filter((block) => !known(block)).map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });

  it.each(blocks.filter(({ language }) => language in parsers))(
    "$page:$line parses as $language",
    (block) => {
      expect(() => parsers[block.language]?.(block.text)).not.toThrow();
    },
  );
});
