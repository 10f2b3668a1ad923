import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { sidebar } from "../../docs/.vitepress/sidebar.js";
import { type Page, pages, proseOf, root } from "./pages.js";

/*
 * The links between files of the repository, as its readers see them. `site.test.ts` has those of the site.
 */

/** Returns the anchors of a page, as code hosts make them. */
function anchorsOf(page: Page): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const [, heading = ""] of proseOf(page).matchAll(/^#+ (.*)$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = text.replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "").replaceAll(" ", "-");
    counts.set(anchor, (counts.get(anchor) ?? 0) + 1);
  }
  // A code host numbers those that are equal, which would change with the order of the headings.
  return new Set([...counts].filter(([, count]) => count === 1).map(([anchor]) => anchor));
}

const anchors = new Map(pages.map((page) => [page.path, anchorsOf(page)]));

/** Returns what is wrong with a link in a file. */
function problemOf(href: string, from: string): string | undefined {
  const [path = "", anchor] = href.split("#");
  const target = path === "" ? from : join(dirname(from), path);
  if (!existsSync(join(root, target))) return `${href}: no file`;
  return anchor === undefined || anchors.get(target)?.has(anchor) ? undefined : `${href}: no such heading`;
}

const linksIn = (page: Page) =>
  [
    ...proseOf(page)
      .replaceAll(/`[^`\n]*`/g, "")
      .matchAll(/\]\(([^)\s]+)\)/g),
  ]
    .map(([, href = ""]) => href)
    .filter((href) => !/^https?:/.test(href));

it("finds links at all", () => {
  expect(pages.flatMap(linksIn).length).toBeGreaterThan(200);
});

it.each(pages)("the links of $path resolve", (page) => {
  expect(
    linksIn(page)
      .map((href) => problemOf(href, page.path))
      .filter(Boolean),
  ).toEqual([]);
});

it("each page is in the contents of the site", () => {
  const contents = new Set(sidebar().flatMap(({ items = [] }) => items.map(({ link }) => link)));
  const shown = pages.filter(({ path }) => path.startsWith("docs/") && !path.startsWith("docs/decisions/"));
  const missing = shown.filter(
    ({ path }) => !contents.has(path.replace(/^docs/, "").replace(/(index)?\.md$/, "")),
  );
  expect(missing.map(({ path }) => path)).toEqual([]);
});

it.each([
  ["nothing.md", "nothing.md: no file"],
  ["troubleshooting.md#nothing", "troubleshooting.md#nothing: no such heading"],
])("finds that %s is wrong", (href, problem) => {
  expect(problemOf(href, "docs/index.md")).toBe(problem);
});

describe("the code", () => {
  const sources = [
    "sdk/src",
    "provider/src",
    "sandbox/src",
    "sandbox/web",
    "tools",
    "examples",
    "bench",
    "test",
  ];
  const mentions = sources.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.(ts|mjs|go|sh|ya?ml)$/.test(path) && !/(^|\/)(node_modules|dist)\//.test(path))
      .flatMap((path) =>
        [
          ...readFileSync(join(root, folder, path), "utf8").matchAll(/\bdocs\/([\w/-]+\.md)(?:#([\w-]+))?/g),
        ].map(([mention, page, anchor]) => ({
          mention,
          page: `docs/${page}`,
          anchor,
          file: `${folder}/${path}`,
        })),
      ),
  );

  it("mentions pages and headings that exist", () => {
    expect(mentions.length).toBeGreaterThan(20);
    const wrong = mentions.filter(
      ({ page, anchor }) => !anchors.has(page) || (anchor !== undefined && !anchors.get(page)?.has(anchor)),
    );
    expect(wrong.map(({ file, mention }) => `${file}: ${mention}`)).toEqual([]);
  });
});
