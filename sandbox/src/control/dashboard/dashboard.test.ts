import { access } from "node:fs/promises";
import { createServer } from "node:http";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { aDatabase, apiClientFor, eventually, sandboxFor } from "../../../test/api-client.js";
import { buildCommand } from "../../../test/command.js";
import type { Sandbox } from "../../sandbox.js";

const candidates = [
  process.env["CHROMIUM"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
const reachable = await Promise.all(
  candidates.map((path) =>
    access(path).then(
      () => path,
      () => undefined,
    ),
  ),
);
const executablePath = reachable.find((path) => path !== undefined && path !== "");
const inbox = z.object({ email_address: z.string() });

beforeAll(buildCommand, 120_000);

test("the page and its files are served under rules that let nothing else run", async () => {
  const sandbox = await sandboxFor();
  const page = await fetch(`${sandbox.url}/`);
  const html = await page.text();
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
  const files = [...html.matchAll(/(?:src|href)="(\/_sandbox\/[^"]+)"/g)].map(([, path]) => path);
  expect(files).toHaveLength(2);
  for (const path of files) expect((await fetch(sandbox.url + path)).status).toBe(200);
  expect((await fetch(`${sandbox.url}/_sandbox/web/../../package.json`)).status).not.toBe(200);
  expect((await fetch(`${sandbox.url}/_sandbox/web/..%2f..%2fpackage.json`)).status).toBe(404);
});

test("secrets are masked where people look", async () => {
  const sandbox = await sandboxFor({ provisioning: { databaseMs: 0 } });
  const { data } = await apiClientFor(sandbox)("POST", "/databases", aDatabase);
  const { password } = new URL(Object(data).connection_uri);
  const shown = await (await fetch(`${sandbox.url}/_sandbox/resources?masked=true`)).text();
  expect(shown).toContain("orders");
  expect(shown).not.toContain(password);
});

test("a link without a passcode shows none", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  await call("POST", "/shortener/links", { url: "https://example.com", slug: "open" });
  await call("POST", "/shortener/links", { url: "https://example.com", slug: "closed", passcode: "sesame" });
  const shown = await (await fetch(`${sandbox.url}/_sandbox/resources?masked=true`)).json();
  const passcodes = z.array(z.object({ fields: z.object({ passcode: z.string().optional() }) })).parse(shown);
  expect(passcodes.map(({ fields }) => fields.passcode)).toEqual([undefined, "[secret]"]);
});

describe.runIf(executablePath)("in Chromium", { timeout: 60_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
  }, 60_000);
  afterAll(() => browser.close());

  async function opened(sandbox: Sandbox, section = "", width = 1000): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    onTestFinished(() => page.close());
    await page.goto(`${sandbox.url}/${section}`);
    return page;
  }

  test("what is created over the API appears without a reload", async () => {
    const sandbox = await sandboxFor();
    const page = await opened(sandbox);
    await page.getByText("No resources yet.").waitFor();
    await apiClientFor(sandbox)("POST", "/databases", { ...aDatabase, name: "appeared" });
    await page.getByText("appeared", { exact: true }).waitFor();
    await page.getByText("ready", { exact: true }).waitFor();
    await page.getByText("simulated", { exact: true }).waitFor();
    await page.getByRole("link", { name: "Requests" }).click();
    await page.getByText("POST /databases", { exact: true }).waitFor();
  });

  test("a backup appears when its hour has come, and is not taken for a real one", async () => {
    const sandbox = await sandboxFor({ provisioning: { databaseMs: 0 } });
    const call = apiClientFor(sandbox);
    const { id } = await call("POST", "/databases", { ...aDatabase, engine: "redis", version: "7.2" });
    const page = await opened(sandbox);
    const schedule = { frequency: "daily", hour_utc: 3, retention_days: 7 };
    await call("PUT", `/databases/${id}/backup-schedule`, schedule);
    await sandbox.clock.advance(86_400_000);
    const row = page.getByRole("row", { name: "completed" });
    await row.waitFor();
    expect(await row.textContent()).toMatch(/simulated.*bk_/);
    expect(await row.getByRole("link").count()).toBe(0);
  });

  test("a mail with a script in it does nothing, and loads nothing", async () => {
    const loaded: Array<string | undefined> = [];
    const elsewhere = createServer((request, response) => {
      loaded.push(request.url);
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void elsewhere.close());
    const pixel = `http://127.0.0.1:${Object(elsewhere.address()).port}/pixel`;
    const sandbox = await sandboxFor();
    const { data } = await apiClientFor(sandbox)("POST", "/tempmail/inboxes");
    const attack = `parent.document.title = "taken"; fetch("${pixel}"); fetch("/_sandbox/reset", {method: "POST"})`;
    await sandbox.sendMail({
      to: inbox.parse(data).email_address,
      subject: "<img src=x onerror=document.title='taken'>",
      html: `<p>Hello</p><script>${attack}</script><img src="x" onerror='${attack}'><img src="${pixel}">`,
    });
    const page = await opened(sandbox, "#mail");
    await page.locator("summary").click();
    await page.frameLocator("iframe").getByText("Hello").waitFor();
    await page.waitForLoadState("networkidle", { timeout: 2000 }).catch(() => {});
    expect(await page.title()).toBe("Cloud Services sandbox");
    expect(loaded).toEqual([]);
    expect(sandbox.resources()).toHaveLength(1);
  });

  test("clock and faults are controlled with the keyboard alone", async () => {
    const sandbox = await sandboxFor();
    const page = await opened(sandbox, "#controls");
    await page.getByRole("button", { name: "Freeze" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(sandbox.clock.frozen).toBe(true);
    const before = sandbox.clock.now();
    await page.getByLabel("Minutes").focus();
    await page.keyboard.press("Enter");
    await eventually(() => sandbox.clock.now() - before).toBe(3_600_000);
    await page.getByLabel("Kind").focus();
    await page.keyboard.press("d");
    await page.getByRole("button", { name: "Add fault" }).focus();
    await page.keyboard.press("Enter");
    await eventually(() => sandbox.faults.list()).toMatchObject([
      { fault: { kind: "drop", when: "before", route: "/databases" } },
    ]);
    await page.getByRole("button", { name: "Remove fault" }).click();
    await eventually(() => sandbox.faults.list()).toEqual([]);
  });

  test("a visitor types the passcode of a link and is led on", async () => {
    const target = createServer((_request, response) => response.end("arrived"));
    await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      target.close();
      target.closeAllConnections();
    });
    const sandbox = await sandboxFor();
    const url = `http://127.0.0.1:${Object(target.address()).port}/`;
    await apiClientFor(sandbox)("POST", "/shortener/links", { url, passcode: "sesame", slug: "closed" });
    const page = await opened(sandbox, "closed");
    await page.getByLabel("Passcode").fill("open");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Passcode").fill("sesame");
    await page.keyboard.press("Enter");
    await page.getByText("arrived").waitFor();
    expect(page.url()).toBe(url);
  });

  test("it fits a phone", async () => {
    const sandbox = await sandboxFor();
    await apiClientFor(sandbox)("POST", "/databases", {
      ...aDatabase,
      name: "a-name-that-is-rather-long-for-a-phone",
    });
    const page = await opened(sandbox, "", 360);
    await page.locator("summary", { hasText: "a-name-that" }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
  });
});
