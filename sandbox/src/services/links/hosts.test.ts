import { expect, test } from "vitest";
import { apiClientFor, sandboxFor } from "../../../test/api-client.js";
import { linkSchema, locationAt, visit } from "../../../test/links.js";

test("no tenant can take over another's links under any host name of the sandbox", async () => {
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

test("a link on a custom domain works with and without a port in the Host header", async () => {
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

test("links of other tenants have their own path, and all redirect", async () => {
  const sandbox = await sandboxFor();
  for (const [key, target] of [
    [sandbox.apiKey, "https://mine.example"],
    ["sandbox_team-a", "https://theirs.example"],
  ] as const) {
    const { data } = await apiClientFor(sandbox, key)("POST", "/shortener/links", {
      url: target,
      slug: "same",
    });
    expect((await visit(linkSchema.parse(data).short_url)).headers.get("location")).toBe(target);
  }
});
