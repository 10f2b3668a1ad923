import { type IncomingMessage, request } from "node:http";
import jsQR from "jsqr";
import { expect, test } from "vitest";
import { z } from "zod";
import { apiClientFor, sandboxFor } from "../../../test/api-client.js";
import type { Sandbox } from "../../sandbox.js";

const link = z.object({ id: z.string(), short_url: z.string(), slug: z.string(), domain: z.string() });
const visit = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { redirect: "manual", headers });

test("a link has the fields of the specification and no other", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const sent = {
    url: "https://example.com/a",
    slug: "a",
    title: "t",
    passcode: "p",
    utm_source: "u",
    expires_at: "2040-01-01T00:00:00Z",
  };
  const { data, id } = await call("POST", "/shortener/links", sent);
  const host = new URL(sandbox.url).host;
  expect(data).toEqual({
    id: expect.stringMatching(/^link_/),
    short_url: `http://${host}/a`,
    destination_url: "https://example.com/a",
    domain: host,
    slug: "a",
    qr_code_url: `${sandbox.baseUrl}/shortener/links/${id}/qr.svg`,
    clicks_count: 0,
    created_at: expect.stringMatching(/Z$/),
  });
  expect((await call("GET", `/shortener/links/${id}`)).data).toEqual(data);
  expect((await call("GET", "/shortener/links")).data).toEqual([data]);
});

test("a slug that nobody chose has six characters; one that is taken is a conflict", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { slug } = link.parse((await call("POST", "/shortener/links", { url: "https://a.example" })).data);
  expect(slug).toMatch(/^[a-z0-9]{6}$/);
  const twin = { url: "https://b.example", slug };
  expect(await call("POST", "/shortener/links", twin)).toMatchObject({
    status: 409,
    error: { code: "CONFLICT", field: "slug" },
  });
  expect((await call("POST", "/shortener/links", { ...twin, domain: "go.example.com" })).status).toBe(201);
  expect((await apiClientFor(sandbox, "sandbox_other")("POST", "/shortener/links", twin)).status).toBe(201);
});

test("a custom domain belongs to the tenant that used it first", async () => {
  const sandbox = await sandboxFor();
  const wish = { url: "https://a.example", domain: "go.example.com" };
  await apiClientFor(sandbox)("POST", "/shortener/links", wish);
  const refused = await apiClientFor(sandbox, "sandbox_other")("POST", "/shortener/links", wish);
  expect(refused).toMatchObject({ status: 409, error: { field: "domain" } });
});

test("no tenant takes over another's links, by whatever name of the sandbox they are visited", async () => {
  const sandbox = await sandboxFor({ hostNames: ["sandbox.test"] });
  const { host, port } = new URL(sandbox.url);
  const mine = { url: "https://mine.example/", slug: "promo" };
  const theirs = { url: "https://theirs.example/", slug: "promo" };
  await apiClientFor(sandbox)("POST", "/shortener/links", mine);
  const create = apiClientFor(sandbox, "sandbox_other");
  const names = ["localhost", `localhost:${port}`, "127.0.0.1", "sandbox.test", `SANDBOX.test:${port}`];
  for (const domain of names) {
    expect(await create("POST", "/shortener/links", { ...theirs, domain })).toMatchObject({
      status: 409,
      error: { field: "domain", message: expect.stringContaining("sandbox's own") },
    });
  }
  // Another server's address on this machine, which may be a proxy before this one.
  expect((await create("POST", "/shortener/links", { ...theirs, domain: "localhost:1" })).status).toBe(201);
  for (const name of [...names, host, "localhost:1"])
    expect(await locationAt(sandbox, name, "/promo")).toBe(mine.url);
  expect((await create("POST", "/shortener/links", { ...theirs, domain: host })).data).toMatchObject({
    short_url: `http://${host}/~other/promo`,
  });
});

test("a link on a custom domain is found whether the Host header names a port or not", async () => {
  const sandbox = await sandboxFor();
  const { port } = new URL(sandbox.url);
  const body = { url: "https://a.example/", domain: "go.example.com", slug: "a" };
  await apiClientFor(sandbox)("POST", "/shortener/links", body);
  for (const host of ["go.example.com", `go.example.com:${port}`, `GO.example.com:${port}`])
    expect(await locationAt(sandbox, host, "/a")).toBe(body.url);
  const wish = { ...body, domain: `go.example.com:${port}` };
  const refused = await apiClientFor(sandbox, "sandbox_other")("POST", "/shortener/links", wish);
  expect(refused).toMatchObject({ status: 409, error: { field: "domain" } });
});

test.each([
  ["https://example.com/?x=%E9&a=%zz&b=1;c=2&q=a%20b~c", "&utm_source=news+letter"],
  ["https://example.com/?flag", "&utm_source=news+letter"],
  ["https://example.com/?a=1&", "utm_source=news+letter"],
  ["https://example.com/a?", "utm_source=news+letter"],
  ["https://example.com", "/?utm_source=news+letter"],
  ["https://example.com/?a=1#top?b#c", "&utm_source=news+letter"],
  ["https://example.com#top", "/?utm_source=news+letter"],
  ["https://example.com/?utm_source=mine", ""],
])("a UTM source is appended to %s, and nothing else is changed", async (url, appended) => {
  const call = apiClientFor(await sandboxFor());
  const { data } = await call("POST", "/shortener/links", { url, utm_source: "news letter" });
  const [target, hash] = [url.replace(/#.*/, ""), /#.*/.exec(url)?.[0] ?? ""];
  const location = (await visit(link.parse(data).short_url)).headers.get("location");
  expect(location).toBe(target + appended + hash);
});

/** `fetch` does not let a caller lie about the host. */
async function locationAt(sandbox: Sandbox, host: string, path: string): Promise<string | undefined> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(sandbox.url + path, { headers: { host } }, resolve)
      .on("error", reject)
      .end();
  });
  response.resume();
  return response.headers.location;
}

test("following a link redirects, appends the UTM source, and counts", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", {
    url: "https://example.com/?a=1",
    utm_source: "news letter",
  });
  const { short_url } = link.parse(data);
  const phone =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1";
  const response = await visit(short_url);
  expect(response.status).toBe(302);
  expect(response.headers.get("location")).toBe("https://example.com/?a=1&utm_source=news+letter");
  await visit(short_url, { "user-agent": phone, referer: "https://social.example/post/1" });
  await visit(short_url, { "user-agent": phone, referer: "https://social.example/post/2" });
  expect((await call("GET", `/shortener/links/${id}`)).data).toMatchObject({ clicks_count: 3 });
  expect((await call("GET", `/shortener/links/${id}/analytics`)).data).toEqual({
    total_clicks: 3,
    unique_visitors: 2,
    referrers: [
      { source: "social.example", clicks: 2 },
      { source: "direct", clicks: 1 },
    ],
    countries: [],
    devices: { mobile: 2, desktop: 1, tablet: 0 },
  });
});

test("analytics look back over the timeframe and no further", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", { url: "https://example.com" });
  await visit(link.parse(data).short_url);
  await sandbox.clock.advance(10 * 86_400_000);
  await visit(link.parse(data).short_url);
  const clicks = async (timeframe: string) =>
    (await call("GET", `/shortener/links/${id}/analytics?timeframe=${timeframe}`)).data;
  expect(await clicks("7d")).toMatchObject({ total_clicks: 1 });
  expect(await clicks("30d")).toMatchObject({ total_clicks: 2 });
  expect((await call("GET", `/shortener/links/${id}/analytics?timeframe=1w`)).error?.field).toBe("timeframe");
});

test("a visit has the country of its address: what control told first, then what the data knows", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", { url: "https://example.com" });
  const { short_url } = link.parse(data);
  const from = (address: string) => visit(short_url, { "x-forwarded-for": address });
  await visit(short_url);
  await from("8.8.8.8");
  sandbox.setIp("8.8.4.4", { country_code: "DE", country_name: "Germany" });
  await from("8.8.4.4");
  sandbox.setIp("127.0.0.1", { country_code: "DE", country_name: "Germany" });
  await visit(short_url);
  expect((await call("GET", `/shortener/links/${id}/analytics`)).data).toMatchObject({
    total_clicks: 4,
    unique_visitors: 3,
    countries: [
      { country_code: "DE", name: "Germany", clicks: 2 },
      { country_code: "US", name: "United States", clicks: 1 },
    ],
  });
});

test.each([
  ["https://example.com/ü?q=日本", "https://example.com/%C3%BC?q=%E6%97%A5%E6%9C%AC"],
  ["https://münchen.example/a b", "https://xn--mnchen-3ya.example/a%20b"],
  ["https://example.com", "https://example.com"],
])("a visit to %s is sent on in a form that a header can hold", async (url, location) => {
  const { data } = await apiClientFor(await sandboxFor())("POST", "/shortener/links", { url });
  expect(data).toMatchObject({ destination_url: url });
  const response = await visit(link.parse(data).short_url);
  expect(response.status).toBe(302);
  expect(response.headers.get("location")).toBe(location);
});

test("a slug is found however its letters are percent-encoded", async () => {
  const sandbox = await sandboxFor();
  const body = { url: "https://example.com", slug: "Welcome_1" };
  await apiClientFor(sandbox)("POST", "/shortener/links", body);
  expect((await visit(`${sandbox.url}/%57elcome%5F1`)).status).toBe(302);
  for (const path of ["/welcome_1", "/Welcome_1%2F", "/%", "/%FF", "/Welcome_1%00"])
    expect((await visit(`${sandbox.url}${path}`)).status).toBe(404);
});

test("a domain is told apart from what only looks like one, and case does not matter", async () => {
  const call = apiClientFor(await sandboxFor());
  const create = (domain: string, slug = "a") =>
    call("POST", "/shortener/links", { url: "https://example.com", domain, slug });
  for (const wrong of ["a..b", ".a", "a.", "-a.b", "a-.b", "a.b:0", "a.b:65536", "a b", "münchen.de"])
    expect(await create(wrong)).toMatchObject({ status: 400, error: { field: "domain" } });
  for (const right of ["GO.example.com", "xn--mnchen-3ya.de", "a.b:65535", "127.0.0.1:8080"])
    expect((await create(right)).status).toBe(201);
  expect(await create("go.EXAMPLE.com")).toMatchObject({ status: 409, error: { field: "slug" } });
});

test("no click is lost by visits at the same time", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", { url: "https://example.com" });
  const { short_url } = link.parse(data);
  await Promise.all(Array.from({ length: 20 }, () => visit(short_url, { "x-forwarded-for": "8.8.8.8" })));
  expect((await call("GET", `/shortener/links/${id}`)).data).toMatchObject({ clicks_count: 20 });
  expect((await call("GET", `/shortener/links/${id}/analytics`)).data).toMatchObject({ total_clicks: 20 });
});

test("an expired link leads nowhere, and lives again when its expiry is taken away", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const expires_at = new Date(sandbox.clock.now() + 60_000).toISOString();
  const { data, id } = await call("POST", "/shortener/links", { url: "https://example.com", expires_at });
  const { short_url } = link.parse(data);
  expect((await visit(short_url)).status).toBe(302);
  await sandbox.clock.advance(60_000);
  expect((await visit(short_url)).status).toBe(410);
  await call("PATCH", `/shortener/links/${id}`, { expires_at: null });
  expect((await visit(short_url)).status).toBe(302);
});

test("a passcode is asked for, and only the right one leads on and counts", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", {
    url: "https://example.com",
    passcode: "sesame",
  });
  const { short_url } = link.parse(data);
  const enter = (passcode: string) =>
    fetch(short_url, { method: "POST", redirect: "manual", body: new URLSearchParams({ passcode }) });
  const page = await visit(short_url);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('type="password"');
  expect((await enter("open")).status).toBe(403);
  const right = await enter("sesame");
  expect([right.status, right.headers.get("location")]).toEqual([303, "https://example.com"]);
  expect((await call("GET", `/shortener/links/${id}`)).data).toMatchObject({ clicks_count: 1 });
});

test("links of other tenants stand under their own path, and both can be followed", async () => {
  const sandbox = await sandboxFor();
  for (const [key, target] of [
    [sandbox.apiKey, "https://mine.example"],
    ["sandbox_team-a", "https://theirs.example"],
  ] as const) {
    const { data } = await apiClientFor(sandbox, key)("POST", "/shortener/links", {
      url: target,
      slug: "same",
    });
    expect((await visit(link.parse(data).short_url)).headers.get("location")).toBe(target);
  }
});

test("a changed link keeps its address and what was not named; a deleted one is gone", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", {
    url: "https://old.example",
    utm_source: "u",
    slug: "s",
  });
  const changed = await call("PATCH", `/shortener/links/${id}`, { url: "https://new.example/" });
  expect(changed.data).toMatchObject({ destination_url: "https://new.example/", slug: "s" });
  const { short_url } = link.parse(data);
  expect((await visit(short_url)).headers.get("location")).toBe("https://new.example/?utm_source=u");
  expect((await call("PATCH", `/shortener/links/${id}`, { slug: "t" })).error?.field).toBe("slug");
  expect(await call("DELETE", `/shortener/links/${id}`)).toMatchObject({ status: 200, data: {} });
  expect((await visit(short_url)).status).toBe(404);
  expect((await call("DELETE", `/shortener/links/${id}`)).error?.code).toBe("RESOURCE_NOT_FOUND");
});

test("the QR code scans to the short address, in the colours and the size that were asked for", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", { url: "https://example.com" });
  const reply = await call("GET", `/shortener/links/${id}/qr.svg?color=1e3a8a&bg=fef9c3&size=330`);
  expect(reply.headers.get("content-type")).toBe("image/svg+xml");
  expect(reply.text).toContain('width="330" height="330"');
  expect(reply.text).toContain("#1e3a8a");
  expect(reply.text).toContain("#fef9c3");
  const { pixels, side } = rasterised(reply.text);
  expect(jsQR(pixels, side, side)?.data).toBe(link.parse(data).short_url);
  expect((await call("GET", `/shortener/links/${id}/qr.svg?color=%231e3a8a`)).error?.field).toBe("color");
  expect((await fetch(`${sandbox.baseUrl}/shortener/links/${id}/qr.svg`)).status).toBe(401);
});

test("a link that drifted into what no browser can follow and no QR code can hold says so", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", {
    url: "https://example.com",
    utm_source: "x",
  });
  sandbox.change(id, { destination_url: "garbage" });
  const reply = await visit(link.parse(data).short_url);
  expect(reply.status).toBe(404);
  expect(await reply.text()).toContain("is invalid");
  expect((await call("GET", `/shortener/links/${id}`)).data).toMatchObject({ clicks_count: 0 });
  sandbox.change(id, { slug: "a".repeat(5_000) });
  const code = await call("GET", `/shortener/links/${id}/qr.svg`);
  expect(code).toMatchObject({ status: 400, error: { message: expect.stringContaining("QR code") } });
});

/** Draws the horizontal strokes of which the SVG consists, four pixels a module. */
function rasterised(svg: string): { pixels: Uint8ClampedArray; side: number } {
  const modules = Number(/viewBox="0 0 (\d+)/.exec(svg)?.[1]);
  const strokes = /stroke="#1e3a8a" d="([^"]+)"/.exec(svg)?.[1] ?? "";
  const side = modules * 4;
  const pixels = new Uint8ClampedArray(side * side * 4).fill(255);
  let [x, y] = [0, 0];
  for (const [, letter, a, b] of strokes.matchAll(/([Mmh])(-?[\d.]+)(?:[ ,]?(-?[\d.]+))?/g)) {
    if (letter === "M") [x, y] = [Number(a), Math.floor(Number(b))];
    else if (letter === "m") [x, y] = [x + Number(a), y + Number(b)];
    else {
      for (let column = x * 4; column < (x + Number(a)) * 4; column++) {
        for (let line = y * 4; line < y * 4 + 4; line++)
          pixels.fill(0, (line * side + column) * 4, (line * side + column) * 4 + 3);
      }
      x += Number(a);
    }
  }
  return { pixels, side };
}

test("a link may lead to a mail or an app, to which no UTM source is added", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  for (const url of ["mailto:team@example.com?subject=Hello", "slack://channel?id=1"]) {
    const { data } = await call("POST", "/shortener/links", { url, utm_source: "mail" });
    const response = await visit(link.parse(data).short_url);
    expect([response.status, response.headers.get("location")]).toEqual([302, url]);
  }
  for (const url of ["JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "no-scheme"])
    expect(await call("POST", "/shortener/links", { url })).toMatchObject({
      status: 400,
      error: { field: "url" },
    });
});
