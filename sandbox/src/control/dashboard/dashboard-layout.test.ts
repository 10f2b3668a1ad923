// @module-tag slow

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  accessibilityViolations,
  browserForTests,
  type Page,
  sidewaysOverflow,
} from "../../../../test/support/browser.js";
import { hasChromium } from "../../../../test/support/chromium.js";
import { aDatabase, apiClientFor, aServer, aWebhook } from "../../../test/api-client.js";
import { buildCommand } from "../../../test/command.js";
import { type Sandbox, startSandbox } from "../../sandbox.js";

const sections = ["resources", "requests", "mail", "deliveries", "controls"];
const LONG = "a-name-that-is-long-for-a-phone-0123456789-abcdefghijklm";

/** Puts something of everything into a sandbox: each kind and state, a long value of each field, and faults. */
async function fill(sandbox: Sandbox): Promise<void> {
  const call = apiClientFor(sandbox);
  const other = apiClientFor(sandbox, `sandbox_${LONG}`);
  await other("POST", "/shortener/links", {
    url: `https://example.com/${"long-path/".repeat(100)}`,
    slug: LONG,
  });
  const { id } = await call("POST", "/databases", {
    ...aDatabase,
    name: "orders",
    engine: "redis",
    version: "7.2",
  });
  await call("PUT", `/databases/${id}/backup-schedule`, {
    frequency: "daily",
    hour_utc: 3,
    retention_days: 7,
  });
  await sandbox.clock.advance(86_400_000);
  sandbox.progress("database", { mode: "stuck" }, { next: 1 });
  await call("POST", "/databases", { ...aDatabase, name: LONG });
  sandbox.progress("vps", { mode: "fail", reason: `No capacity in ${LONG}${LONG}.`, ms: 0 }, { next: 1 });
  await call("POST", "/vps/instances", aServer);
  await call("POST", "/webhooks", { ...aWebhook, url: `https://example.com/${"long-path/".repeat(50)}` });
  await call("GET", `/${LONG}/${LONG}`);
  sandbox.faults.add({ kind: "drop", when: "before", route: "/databases", method: "GET", count: 1 });
  await call("GET", "/databases").catch(() => {});
  sandbox.emit("local", "vps.snapshot.completed", { vps_id: LONG });
  await sandbox.idle();
  await call("POST", "/tempmail/inboxes");
  await call("POST", "/tempmail/inboxes");
  const address = z
    .string()
    .parse(sandbox.resources().find(({ kind }) => kind === "Inbox")?.fields["email_address"]);
  const from = `${LONG}@${LONG}.example.com`;
  await sandbox.sendMail({ to: address, from, subject: "Code", text: "Your code is 482913." });
  await sandbox.sendMail({ to: address, from, subject: LONG, html: "<table width=900><td>Wide</table>" });
}

beforeAll(buildCommand, 120_000);

describe.runIf(hasChromium)("with something of everything", { timeout: 60_000 }, () => {
  const open = browserForTests();
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
    await fill(sandbox);
  });
  afterAll(() => sandbox.close());

  async function opened(page: Page, section: string): Promise<void> {
    await page.goto(`${sandbox.url}/#${section}`);
    await page.locator(`nav a[aria-current][href="#${section}"]`).waitFor();
    // The first two rows unfold, so that what is in them is looked at, too.
    const names = page.locator("main .toggle");
    for (const index of [0, 1])
      if ((await names.count()) > index && (await names.nth(index).getAttribute("aria-expanded")) === "false")
        await names.nth(index).click();
  }

  for (const width of [1280, 390])
    for (const colorScheme of ["light", "dark"] as const)
      test(`is accessible at ${width} px, ${colorScheme}`, async () => {
        const page = await open(sandbox.url, { width, colorScheme });
        for (const section of sections) {
          await opened(page, section);
          expect(await accessibilityViolations(page), section).toEqual([]);
        }
      });

  test("is not wider than its window", async () => {
    const page = await open(sandbox.url);
    for (const section of sections) {
      await opened(page, section);
      for (const width of [1280, 800, 768, 390, 320]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await sidewaysOverflow(page), `${section} at ${width} px`).toBe(0);
      }
    }
  });

  const boxes = z.array(
    z.object({ text: z.string(), left: z.number(), right: z.number(), width: z.number() }),
  );
  async function boxesOf(page: Page, selector: string): Promise<z.infer<typeof boxes>> {
    return boxes.parse(
      await page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        return { text: element.textContent, left, right, width };
      })`),
    );
  }

  test("a phone shows states, ids and JSON without scrolling sideways", async () => {
    const page = await open(sandbox.url, { width: 390 });
    for (const section of ["resources", "requests", "deliveries"]) {
      await opened(page, section);
      const states = await boxesOf(page, "td.state > *");
      expect(states.length).toBeGreaterThan(0);
      const shown = [...states, ...(await boxesOf(page, "td code"))];
      for (const { text, left, right, width } of shown) {
        expect(width, text).toBeGreaterThan(10);
        expect(left, text).toBeGreaterThanOrEqual(0);
        expect(right, text).toBeLessThanOrEqual(390);
      }
      for (const { width } of await boxesOf(page, "pre")) expect(width).toBeGreaterThan(340);
    }
    expect((await boxesOf(page, "pre")).length).toBeGreaterThan(0);
  });

  test("the time of a request takes little of the width", async () => {
    const page = await open(sandbox.url, { width: 1280 });
    await opened(page, "requests");
    const [time, request] = await boxesOf(page, "th");
    expect(time?.text).toBe("Time");
    expect(time?.width).toBeLessThan(200);
    expect(request?.width).toBeGreaterThan(350);
  });

  test("the page goes idle, so that headless tools end", async () => {
    const page = await open(sandbox.url);
    await page.locator("main .toggle").first().waitFor();
    await page.waitForLoadState("networkidle");
    // What Chromium's --virtual-time-budget does: time stands still while a request is pending.
    const session = await page.context().newCDPSession(page);
    const ended = new Promise<void>((resolve) =>
      session.once("Emulation.virtualTimeBudgetExpired", () => resolve()),
    );
    const policy = "pauseIfNetworkFetchesPending";
    await session.send("Emulation.setVirtualTimePolicy", { policy, budget: 5_000 });
    await ended;
  });
});
