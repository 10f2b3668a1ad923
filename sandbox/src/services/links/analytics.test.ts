import { expect, test } from "vitest";
import { apiClientFor, sandboxFor } from "../../../test/api-client.js";
import { linkSchema, visit } from "../../../test/links.js";

test("following a link redirects, appends the UTM source, and counts", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", {
    url: "https://example.com/?a=1",
    utm_source: "news letter",
  });
  const { short_url } = linkSchema.parse(data);
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

test("analytics cover exactly the timeframe", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", { url: "https://example.com" });
  await visit(linkSchema.parse(data).short_url);
  await sandbox.clock.advance(10 * 86_400_000);
  await visit(linkSchema.parse(data).short_url);
  const clicks = async (timeframe: string) =>
    (await call("GET", `/shortener/links/${id}/analytics?timeframe=${timeframe}`)).data;
  expect(await clicks("7d")).toMatchObject({ total_clicks: 1 });
  expect(await clicks("30d")).toMatchObject({ total_clicks: 2 });
  expect((await call("GET", `/shortener/links/${id}/analytics?timeframe=1w`)).error?.field).toBe("timeframe");
});

test("a visit has the country that control set, or else that of the data", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", { url: "https://example.com" });
  const { short_url } = linkSchema.parse(data);
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

test("simultaneous visits all count", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", { url: "https://example.com" });
  const { short_url } = linkSchema.parse(data);
  await Promise.all(Array.from({ length: 20 }, () => visit(short_url, { "x-forwarded-for": "8.8.8.8" })));
  expect((await call("GET", `/shortener/links/${id}`)).data).toMatchObject({ clicks_count: 20 });
  expect((await call("GET", `/shortener/links/${id}/analytics`)).data).toMatchObject({ total_clicks: 20 });
});
