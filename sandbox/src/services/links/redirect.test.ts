import { expect, test } from "vitest";
import { apiClientFor, sandboxFor } from "../../../test/api-client.js";
import { linkSchema, visit } from "../../../test/links.js";

test.each([
  ["https://example.com/?x=%E9&a=%zz&b=1;c=2&q=a%20b~c", "&utm_source=news+letter"],
  ["https://example.com/?flag", "&utm_source=news+letter"],
  ["https://example.com/?a=1&", "utm_source=news+letter"],
  ["https://example.com/a?", "utm_source=news+letter"],
  ["https://example.com", "/?utm_source=news+letter"],
  ["https://example.com/?a=1#top?b#c", "&utm_source=news+letter"],
  ["https://example.com#top", "/?utm_source=news+letter"],
  ["https://example.com/?utm_source=mine", ""],
])("a UTM source is appended to %s, and the rest stays unchanged", async (url, appended) => {
  const call = apiClientFor(await sandboxFor());
  const { data } = await call("POST", "/shortener/links", { url, utm_source: "news letter" });
  const [target, hash] = [url.replace(/#.*/, ""), /#.*/.exec(url)?.[0] ?? ""];
  const location = (await visit(linkSchema.parse(data).short_url)).headers.get("location");
  expect(location).toBe(target + appended + hash);
});

test.each([
  ["https://example.com/ü?q=日本", "https://example.com/%C3%BC?q=%E6%97%A5%E6%9C%AC"],
  ["https://münchen.example/a b", "https://xn--mnchen-3ya.example/a%20b"],
  ["https://example.com", "https://example.com"],
])("a redirect to %s is encoded for a header", async (url, location) => {
  const { data } = await apiClientFor(await sandboxFor())("POST", "/shortener/links", { url });
  expect(data).toMatchObject({ destination_url: url });
  const response = await visit(linkSchema.parse(data).short_url);
  expect(response.status).toBe(302);
  expect(response.headers.get("location")).toBe(location);
});

test("a link may lead to a mail or an app, without a UTM source", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  for (const url of ["mailto:team@example.com?subject=Hello", "slack://channel?id=1"]) {
    const { data } = await call("POST", "/shortener/links", { url, utm_source: "mail" });
    const response = await visit(linkSchema.parse(data).short_url);
    expect([response.status, response.headers.get("location")]).toEqual([302, url]);
  }
  for (const url of ["JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "no-scheme"])
    expect(await call("POST", "/shortener/links", { url })).toMatchObject({
      status: 400,
      error: { field: "url" },
    });
});

test("a slug matches in any percent-encoding", async () => {
  const sandbox = await sandboxFor();
  const body = { url: "https://example.com", slug: "Welcome_1" };
  await apiClientFor(sandbox)("POST", "/shortener/links", body);
  expect((await visit(`${sandbox.url}/%57elcome%5F1`)).status).toBe(302);
  for (const path of ["/welcome_1", "/Welcome_1%2F", "/%", "/%FF", "/Welcome_1%00"])
    expect((await visit(`${sandbox.url}${path}`)).status).toBe(404);
});

test("an expired link is a 410, and works again without its expiry", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const expires_at = new Date(sandbox.clock.now() + 60_000).toISOString();
  const { data, id } = await call("POST", "/shortener/links", { url: "https://example.com", expires_at });
  const { short_url } = linkSchema.parse(data);
  expect((await visit(short_url)).status).toBe(302);
  await sandbox.clock.advance(60_000);
  expect((await visit(short_url)).status).toBe(410);
  await call("PATCH", `/shortener/links/${id}`, { expires_at: null });
  expect((await visit(short_url)).status).toBe(302);
});

test("a link with a passcode shows a form, and only the right passcode redirects and counts", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", {
    url: "https://example.com",
    passcode: "sesame",
  });
  const { short_url } = linkSchema.parse(data);
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
