import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { run } from "../../tools/process/run.mjs";
import { accessibilityViolations, browserForTests, type Page, sidewaysOverflow } from "../support/browser.js";
import { hasChromium } from "../support/chromium.js";
import { root } from "./pages.js";

const folder = join(root, ".local/docs");

/** Returns the file that a path of the site shows. */
const fileOf = (path: string) => join(folder, path.endsWith("/") ? `${path}index.html` : path);

/** Written after a build: what it was made of. */
const stamp = join(root, ".local/docs-built");

/** Returns a hash of the paths and modification times of all files that are not ignored. */
function sources(): string {
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", listed, { cwd: root, encoding: "utf8" }).split("\0");
  const hash = createHash("sha256");
  for (const file of files) {
    const stat = statSync(join(root, file), { throwIfNoEntry: false });
    if (stat?.isFile()) hash.update(`${file} ${stat.mtimeMs}\n`);
  }
  return hash.digest("hex");
}

beforeAll(async () => {
  const made = sources();
  if (existsSync(stamp) && existsSync(folder) && readFileSync(stamp, "utf8") === made) return;
  const built = await run("npm", ["run", "docs"], { cwd: root, env: process.env });
  expect(built.code, built.stdout + built.stderr).toBe(0);
  writeFileSync(stamp, made);
}, 300_000);

describe("the links of the site", () => {
  it("lead to pages and anchors that exist", () => {
    const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".html"),
    );
    const texts = new Map(
      paths.map((path) => [join(folder, path), readFileSync(join(folder, path), "utf8")]),
    );
    const ids = new Map(
      [...texts].map(([file, text]) => [
        file,
        new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
      ]),
    );
    let count = 0;
    const wrong = [...texts].flatMap(([file, text]) =>
      [...text.matchAll(/<a [^>]*?href="([^"]+)"/g)].flatMap(([, href = ""]) => {
        if (/^[a-z]+:/.test(href)) return [];
        count += 1;
        const { pathname, hash } = new URL(href, `file://${file.slice(folder.length)}`);
        const target = href.startsWith("#") ? file : fileOf(decodeURI(pathname));
        const anchor = decodeURIComponent(hash.slice(1));
        const exists = existsSync(target) && (anchor === "" || ids.get(target)?.has(anchor));
        return exists ? [] : [`${file.slice(folder.length)}: ${href}`];
      }),
    );
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(1_000);
  });
});

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

describe.runIf(hasChromium)("the site in a browser", { timeout: 60_000 }, () => {
  const open = browserForTests();

  /** Opens a page of the site, which the browser gets from the files. The returned list fills with errors. */
  async function openPage(path: string): Promise<{ page: Page; errors: string[] }> {
    const page = await open("about:blank");
    const errors: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    page.on("pageerror", (error) => errors.push(error.message));
    await page.route("**/*", async (route) => {
      const file = fileOf(decodeURI(new URL(route.request().url()).pathname));
      if (!existsSync(file)) return route.fulfill({ status: 404 });
      return route.fulfill({ path: file, contentType: types[extname(file)] ?? "application/octet-stream" });
    });
    await page.goto(`http://docs.test${path}`);
    await page.waitForLoadState("networkidle");
    return { page, errors };
  }

  it.each(["/", "/resources/link.html", "/troubleshooting.html"])(
    "shows %s accessibly and without scrolling sideways",
    async (path) => {
      const { page, errors } = await openPage(path);
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await sidewaysOverflow(page), `${width} px`).toBe(0);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await page.locator(colorScheme === "dark" ? "html.dark" : "html:not(.dark)").waitFor();
          expect(await accessibilityViolations(page), `${width} px, ${colorScheme}`).toEqual([]);
        }
      }
      expect(errors).toEqual([]);
    },
  );

  it("finds a section of the documentation and a kind", async () => {
    const { page, errors } = await openPage("/");
    await page.keyboard.press("Control+k");
    const first = page.locator("#localsearch-list a").first();
    await page.locator("#localsearch-input").fill("dashboard");
    await expect.poll(() => first.getAttribute("href")).toBe("/sandbox.html#dashboard");
    await page.locator("#localsearch-input").fill("BackupSchedule");
    await page.locator("#localsearch-list a[href^='/resources/backup-schedule.html']").first().click();
    await page.locator("h1", { hasText: "BackupSchedule" }).waitFor();
    expect(errors).toEqual([]);
  });

  it("leads from page to page, also to files of the repository", async () => {
    const { page, errors } = await openPage("/");
    const heading = (text: string) => page.locator("h1", { hasText: text }).waitFor();
    await page.locator(".VPSidebar a", { hasText: "Keep secrets" }).click();
    await heading("Keep secrets");
    await page.locator("main a", { hasText: "SECURITY.md" }).click();
    await heading("Security");
    await page.locator(".VPSidebar a", { hasText: "Python, YAML and Go" }).click();
    await page.locator("main a", { hasText: "examples/quickstart" }).click();
    await page.locator("main a", { hasText: "index.ts" }).click();
    await page.locator("main pre", { hasText: "new BackupSchedule" }).waitFor();
    expect(errors).toEqual([]);
  });

  it("opens a section by its anchor", async () => {
    const { page } = await openPage("/troubleshooting.html#name-in-use");
    await page.locator("#name-in-use").waitFor();
    expect(await page.evaluate("window.scrollY")).toBeGreaterThan(0);
  });
});
