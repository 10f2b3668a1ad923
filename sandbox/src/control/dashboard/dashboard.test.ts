// @module-tag slow

import { createServer } from "node:http";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { browserForTests, type Page, type Screen } from "../../../../test/support/browser.js";
import { hasChromium } from "../../../../test/support/chromium.js";
import { aDatabase, apiClientFor, eventually, sandboxFor } from "../../../test/api-client.js";
import { buildCommand } from "../../../test/command.js";
import { type Sandbox, startSandbox } from "../../sandbox.js";

const inbox = z.object({ email_address: z.string() });

beforeAll(buildCommand, 120_000);

test("the page and its files are served under rules that let nothing else run", async () => {
  const sandbox = await sandboxFor();
  const page = await fetch(`${sandbox.url}/`);
  const html = await page.text();
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'; script-src 'self'");
  const files = [...html.matchAll(/(?:src|href)="(\/_sandbox\/[^"]+)"/g)].map(([, path]) => path);
  expect(files).toHaveLength(2);
  const pending = files.filter((path) => path !== undefined);
  for (const path of pending) {
    const file = await fetch(sandbox.url + path);
    expect(file.status, path).toBe(200);
    for (const [, name] of (await file.text()).matchAll(/from "\.\/([\w-]+\.js)"/g)) {
      const module = `/_sandbox/web/${name}`;
      if (!pending.includes(module)) pending.push(module);
    }
  }
  expect(pending.length).toBeGreaterThan(5);
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

describe.runIf(hasChromium)("in Chromium", { timeout: 60_000 }, () => {
  const open = browserForTests();

  async function opened(sandbox: Pick<Sandbox, "url">, section = "", screen: Screen = {}): Promise<Page> {
    return open(`${sandbox.url}/${section}`, screen);
  }

  test("what is created over the API appears without a reload", async () => {
    const sandbox = await sandboxFor();
    const page = await opened(sandbox);
    await page.getByText("No resources yet.").waitFor();
    await apiClientFor(sandbox)("POST", "/databases", { ...aDatabase, name: "appeared" });
    await page.getByText("appeared", { exact: true }).waitFor();
    await page.getByText("ready", { exact: true }).waitFor();
    await page.getByText("simulated", { exact: true }).waitFor();
    expect(await page.title()).toBe("Resources · Cloud Services sandbox");
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
      html: `<meta http-equiv="refresh" content="0;url=${pixel}"><link rel="stylesheet" href="${pixel}">
        <p>Hello</p><script>${attack}</script><img src="x" onerror='${attack}'><img src="${pixel}">
        <iframe src="${pixel}"></iframe><form action="/_sandbox/reset" method="post"><button>Send</button></form>
        <a href="${pixel}" target="_top">Top</a> <a href="${pixel}">Frame</a> <a href="javascript:${attack}">Run</a>`,
    });
    const page = await opened(sandbox, "#mail");
    await page.getByRole("button", { name: "<img" }).click();
    const content = page.frameLocator("iframe");
    await content.getByText("Hello").waitFor();
    for (const name of ["Run", "Top"]) await content.getByRole("link", { name }).click();
    await content.getByRole("button", { name: "Send" }).click();
    await content.getByRole("link", { name: "Frame" }).click({ noWaitAfter: true });
    await page.waitForLoadState("networkidle");
    expect(await page.title()).toBe("Mail · Cloud Services sandbox");
    expect(page.url()).toBe(`${sandbox.url}/#mail`);
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

  test("a filter narrows what is shown, and stays when something changes", async () => {
    const sandbox = await sandboxFor();
    const call = apiClientFor(sandbox);
    for (const name of ["orders", "invoices"]) await call("POST", "/databases", { ...aDatabase, name });
    const page = await opened(sandbox);
    const names = page.locator("main .toggle");
    await expect.poll(() => names.allTextContents()).toEqual(["orders", "invoices"]);
    await page.getByLabel("Filter").fill("POSTGRES ord");
    await expect.poll(() => names.allTextContents()).toEqual(["orders"]);
    expect(await page.locator("#count").textContent()).toBe("1 of 2");
    await call("POST", "/databases", { ...aDatabase, name: "orders-eu" });
    await expect.poll(() => names.allTextContents()).toEqual(["orders", "orders-eu"]);
    expect(await page.getByLabel("Filter").inputValue()).toBe("POSTGRES ord");
    expect(await page.locator("#filter:focus").count()).toBe(1);
    await page.getByRole("link", { name: "Requests" }).click();
    await expect.poll(() => names.allTextContents()).toEqual(["POST /databases", "POST /databases"]);
    await page.getByLabel("Filter").fill("no such thing");
    await page.getByText("Nothing matches “no such thing”.").waitFor();
    await page.getByRole("link", { name: "Deliveries" }).click();
    await page.getByText("No deliveries yet.").waitFor();
    await page.getByRole("link", { name: "Requests" }).click();
    await page.getByRole("button", { name: "Clear filter" }).click();
    await expect.poll(() => names.count()).toBe(3);
    expect(page.url()).toBe(`${sandbox.url}/#requests`);
  });

  test("an address leads to a section with its filter, and back", async () => {
    const sandbox = await sandboxFor();
    const call = apiClientFor(sandbox);
    for (const name of ["orders", "invoices"]) await call("POST", "/databases", { ...aDatabase, name });
    const page = await opened(sandbox, "#resources?filter=invo");
    const names = page.locator("main .toggle");
    await expect.poll(() => names.allTextContents()).toEqual(["invoices"]);
    await page.getByRole("link", { name: "Controls" }).click();
    await page.getByRole("button", { name: "Freeze" }).waitFor();
    expect(await page.getByLabel("Filter").isVisible()).toBe(false);
    await page.goBack();
    await expect.poll(() => names.allTextContents()).toEqual(["invoices"]);
  });

  test("links are listed by their target and can be followed", async () => {
    const sandbox = await sandboxFor();
    const key = "sandbox_team";
    await apiClientFor(sandbox)("POST", "/shortener/links", { url: "https://b.example.com/", slug: "first" });
    await apiClientFor(sandbox, key)("POST", "/shortener/links", {
      url: "https://a.example.com/",
      slug: "x",
    });
    const page = await opened(sandbox);
    const names = page.locator("main .toggle");
    await expect
      .poll(() => names.allTextContents())
      .toEqual(["https://a.example.com/", "https://b.example.com/"]);
    for (const link of await page.locator("main a").all()) {
      const response = await fetch(sandbox.url + (await link.getAttribute("href")), { redirect: "manual" });
      expect(response.headers.get("location")).toMatch(/^https:\/\/[ab]\.example\.com\/$/);
    }
    expect(await page.locator("main a").count()).toBe(2);
  });

  test("what is unfolded, and the focus, stay when the row changes", async () => {
    const sandbox = await sandboxFor();
    const { id } = await apiClientFor(sandbox)("POST", "/databases", aDatabase);
    const page = await opened(sandbox);
    await page.getByRole("button", { name: "orders" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("pre", { hasText: '"plan": "db-starter-1"' }).waitFor();
    sandbox.change(id, { plan: "db-standard-1" });
    await page.locator("pre", { hasText: '"plan": "db-standard-1"' }).waitFor();
    expect(await page.locator("button:focus").textContent()).toBe("orders");
    await page.keyboard.press("Enter");
    expect(await page.locator("pre").count()).toBe(0);
  });

  test("an open mail is not loaded again by the next one, and its frame is as high as its content", async () => {
    const sandbox = await sandboxFor();
    const { data } = await apiClientFor(sandbox)("POST", "/tempmail/inboxes");
    const to = inbox.parse(data).email_address;
    await sandbox.sendMail({
      to,
      subject: "Short",
      text: "Your code is 482913.\nIt is valid for ten minutes.",
    });
    await sandbox.sendMail({ to, subject: "Long", html: `<!doctype html>${"<p>A line.</p>".repeat(60)}` });
    const page = await opened(sandbox, "#mail");
    const loads: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith(".html")) loads.push(request.url());
    });
    for (const name of ["Short", "Long"]) await page.getByRole("button", { name }).click();
    const sizes = z.array(z.object({ frame: z.number(), content: z.number() }));
    const heights = async () =>
      sizes.parse(
        await page.evaluate(`[...document.querySelectorAll("iframe")].map((frame) => ({
          frame: frame.clientHeight,
          content: frame.contentDocument.scrollingElement.scrollHeight,
          body: frame.contentDocument.body.getBoundingClientRect().height,
        }))`),
      );
    // The newest is first.
    await expect.poll(async () => (await heights())[0]?.content).toBeGreaterThan(1500);
    await expect.poll(async () => (await heights())[1]?.frame).toBeGreaterThan(20);
    for (const { frame, content } of await heights()) expect(frame).toBe(content);
    expect((await heights())[1]?.frame).toBeLessThan(100);

    await page.setViewportSize({ width: 390, height: 800 });
    await sandbox.sendMail({ to, subject: "Third", text: "Hello" });
    await page.getByRole("button", { name: "Third" }).waitFor();
    for (const { frame, content } of await heights()) expect(frame).toBe(content);
    expect(loads).toHaveLength(2);
  });

  test("of many resources, the first are shown at once and all on request", async () => {
    const sandbox = await sandboxFor();
    await sandbox.seed(
      Array.from({ length: 620 }, (_, index) => ({
        kind: "Link",
        fields: { url: `https://example.com/${index}` },
      })),
    );
    const page = await opened(sandbox);
    const rows = page.locator("main .toggle");
    await expect.poll(() => rows.count()).toBe(500);
    await page.getByRole("button", { name: "Show all 620" }).click();
    await expect.poll(() => rows.count()).toBe(620);
  });

  test("a restarted sandbox is found again", async () => {
    const first = await startSandbox();
    const page = await opened(first, "#controls");
    await page.getByRole("button", { name: "Freeze" }).waitFor();
    await first.close();
    await page.getByText("The sandbox does not respond; retrying.").waitFor();
    const second = await sandboxFor({ port: Number(new URL(first.url).port) });
    second.clock.freeze();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await expect.poll(() => page.getByText("does not respond").count()).toBe(0);
  });
});
