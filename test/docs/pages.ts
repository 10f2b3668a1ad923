import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root folder of the checkout. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A page in Markdown; its path is relative to the checkout. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** The line of the page at which its text begins, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** What the block takes for granted, from a comment before it: `<!-- given: id: string; signal: AbortSignal -->`. */
  readonly given: string;
}

/** The pages under a folder, without those that a build of the site is writing. */
const pagesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "generated" ? [] : pagesUnder(path);
    return path.endsWith(".md") ? [path] : [];
  });

const others = [
  ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
  ...["sdk/README.md", "provider/README.md", "sandbox/README.md", "test/faults/README.md"],
  "examples/README.md",
  ...readdirSync(join(root, "examples"))
    .map((name) => `examples/${name}/README.md`)
    .filter((path) => existsSync(join(root, path))),
];

/** The pages that people write or generate for readers, without the SDKs of other languages. */
export const pages: readonly Page[] = [...others, ...pagesUnder("docs").sort()].map((path) => ({
  path,
  text: readFileSync(join(root, path), "utf8"),
}));

const fence = /(?:^<!-- given: ([\s\S]*?) -->\n)?^( *)```(\w*)\n([\s\S]*?)^\2```$/gm;

/** Returns the fenced blocks of a page. */
export const blocksOf = ({ path, text }: Page): Block[] =>
  [...text.matchAll(fence)].map(
    ({ index, 0: whole, 1: given = "", 2: indent = "", 3: language = "", 4: code = "" }) => {
      const before = text.slice(0, index) + whole.slice(0, whole.lastIndexOf(code));
      return {
        page: path,
        line: before.split("\n").length,
        language,
        text: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
        given,
      };
    },
  );

/** All fenced blocks. */
export const blocks: readonly Block[] = pages.flatMap(blocksOf);

/** Returns a page's text without its code. */
export const proseOf = ({ text }: Page): string => text.replaceAll(fence, "");
