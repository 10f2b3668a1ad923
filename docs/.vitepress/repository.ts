import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * The repository has no published address, so a link from a page to a file outside `docs/` leads to a page of the site
 * that shows this file. These pages are written to `docs/generated/repository/` before each build.
 *
 * Paths are relative to the root of the repository. The page of a folder is its `index.md` or `README.md`; of a folder
 * without one, it is an `index.md` that lists the folder.
 */

const root = fileURLToPath(new URL("../..", import.meta.url));

const exists = (path: string) => existsSync(join(root, path));
const isFolder = (path: string) => statSync(join(root, path)).isDirectory();
const read = (path: string) => readFileSync(join(root, path), "utf8");
const isMarkdown = (path: string) => extname(path) === ".md";

/** Whether a file is a page of the site as it is. */
const isPage = (path: string) => path.startsWith("docs/") && isMarkdown(path) && exists(path);

const IGNORED = /^(node_modules|dist|generated|\.local|\.vitepress|venv|__pycache__)$|\.tsbuildinfo$/;
const entriesOf = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => !IGNORED.test(name))
    .sort();

/** Returns the file whose page shows a file or a folder. */
const shownBy = (path: string): string => {
  if (!isFolder(path)) return path;
  const own = ["index.md", "README.md"].map((name) => `${path}/${name}`).find(exists);
  return own ?? `${path}/index.md`;
};

/** Returns the page that shows a file. The site has no hidden folders. */
const pageOf = (path: string): string => {
  if (isPage(path)) return path.slice("docs/".length);
  return `repository/${path.replaceAll(/(?<=^|\/)\./g, "")}${isMarkdown(path) ? "" : ".md"}`;
};

/** Returns the file that a page shows. */
const originOf = (page: string): string =>
  page.startsWith("repository/") ? page.slice("repository/".length) : `docs/${page}`;

/** Returns the file that a link refers to, and its anchor. Links to other sites and within a page refer to none. */
function targetOf(href: string, from: string): { path: string; anchor: string } | undefined {
  if (/^([a-z][a-z+.-]*:|\/|#)/i.test(href)) return undefined;
  const [file = "", anchor] = decodeURI(href).split("#");
  const path = posix.join(posix.dirname(from), file).replace(/\/$/, "");
  // A link to a file that does not exist stays as it is, and the tests report it.
  return exists(path) ? { path: shownBy(path), anchor: anchor === undefined ? "" : `#${anchor}` } : undefined;
}

/** Returns where a link in a page leads on the site. */
export function siteLink(href: string, page: string): string {
  const target = targetOf(href, originOf(page));
  return target ? `/${pageOf(target.path)}${target.anchor}` : href;
}

/** Returns where the site finds an image of a page. */
export function siteImage(src: string, page: string): string {
  const target = targetOf(src, originOf(page));
  return target?.path.startsWith("docs/") ? target.path.slice("docs".length) : src;
}

/** The beginning of a page that the search of the site leaves out. */
export const UNSEARCHED = "---\nsearch: false\n---\n\n";

const languages = new Map([
  [".ts", "ts"],
  [".js", "js"],
  [".mjs", "js"],
  [".json", "json"],
  [".yaml", "yaml"],
  [".yml", "yaml"],
  [".py", "python"],
  [".go", "go"],
  [".sh", "sh"],
]);

/** Colours take time, which the longest files (a schema, a lock file) are not worth. */
const MOST_COLOURED = 20_000;

function codePage(path: string): string {
  const code = read(path).trimEnd();
  const language = (code.length < MOST_COLOURED && languages.get(extname(path))) || "text";
  return `${UNSEARCHED}# ${basename(path)}\n\n\`${path}\`\n\n\`\`\`\`\`${language}\n${code}\n\`\`\`\`\`\n`;
}

/** Only these folders link their files: the others would bring the whole repository to the site. */
const isLinked = (folder: string) => /^(examples|docs)\//.test(folder);

function folderPage(folder: string): string {
  const entries = entriesOf(folder).map((name) => {
    const path = `${folder}/${name}`;
    const href = isFolder(path) ? `${name}/` : name;
    const [, title = href] = (isMarkdown(path) && /^# (.*)$/m.exec(read(path))) || [];
    return isLinked(folder) ? `- [${title}](${href})` : `- \`${href}\``;
  });
  return `${UNSEARCHED}# ${folder}\n\n${entries.join("\n")}\n`;
}

const textOf = (path: string) =>
  exists(path) ? (isMarkdown(path) ? read(path) : codePage(path)) : folderPage(dirname(path));

const linksIn = (markdown: string) =>
  [...markdown.replaceAll(/^```[\s\S]*?^```|`[^`\n]*`|^!\[.*\)$/gm, "").matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, href = ""]) => href,
  );

const markdownUnder = (folder: string): string[] =>
  entriesOf(folder)
    .map((name) => `${folder}/${name}`)
    .flatMap((path) => (isFolder(path) ? markdownUnder(path) : isMarkdown(path) ? [path] : []));

/** Writes a page for each file outside `docs/` that a page links, and for those that these link. */
export function writeRepositoryPages(): void {
  rmSync(join(root, "docs/generated/repository"), { recursive: true, force: true });
  const shown = new Set(["README.md", ...markdownUnder("docs")]);
  for (const path of shown) {
    const text = textOf(path);
    if (!isPage(path)) {
      const file = join(root, "docs/generated", pageOf(path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    if (isMarkdown(path))
      for (const href of linksIn(text)) {
        const target = targetOf(href, path);
        if (target) shown.add(target.path);
      }
  }
}
