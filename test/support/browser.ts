import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { z } from "zod";
import { findChromium } from "./chromium.js";

export type { Page };

export interface Screen {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
}

/** Starts one Chromium for all tests of a group. The returned function opens a page that closes with its test. */
export function browserForTests(): (url: string, screen?: Screen) => Promise<Page> {
  let browser: Browser | undefined;
  // The first run unpacks it.
  beforeAll(async () => {
    const { path, args, env } = await findChromium();
    browser = await chromium.launch({ executablePath: path, args: [...args], env });
  }, 120_000);
  afterAll(() => browser?.close());
  return async (url, { width = 1280, height = 800, colorScheme = "light" } = {}) => {
    if (!browser) throw new Error("the browser starts before the first test");
    const page = await browser.newPage({ viewport: { width, height }, colorScheme });
    onTestFinished(() => page.close());
    await page.goto(url);
    return page;
  };
}

const axeResults = z.array(
  z.object({ id: z.string(), nodes: z.array(z.object({ html: z.string(), failureSummary: z.string() })) }),
);

/** Returns what axe-core finds on a page: the rule, the element and what is wrong with it. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const violations = axeResults.parse(
    await page.evaluate("axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)"),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`),
  );
}

/** Returns by how many pixels a page is wider than its window, and thus scrolls sideways. */
export async function sidewaysOverflow(page: Page): Promise<number> {
  return z
    .number()
    .parse(
      await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
    );
}
