import { expect, test } from "vitest";
import { apiClientFor, sandboxFor } from "../../../test/api-client.js";
import { linkSchema, visit } from "../../../test/links.js";

test("a link has exactly the fields of the specification", async () => {
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

test("a random slug has six characters, and a taken slug is a conflict", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { slug } = linkSchema.parse(
    (await call("POST", "/shortener/links", { url: "https://a.example" })).data,
  );
  expect(slug).toMatch(/^[a-z0-9]{6}$/);
  const twin = { url: "https://b.example", slug };
  expect(await call("POST", "/shortener/links", twin)).toMatchObject({
    status: 409,
    error: { code: "CONFLICT", field: "slug" },
  });
  expect((await call("POST", "/shortener/links", { ...twin, domain: "go.example.com" })).status).toBe(201);
  expect((await apiClientFor(sandbox, "sandbox_other")("POST", "/shortener/links", twin)).status).toBe(201);
});

test("a domain is validated, and its case does not matter", async () => {
  const call = apiClientFor(await sandboxFor());
  const create = (domain: string, slug = "a") =>
    call("POST", "/shortener/links", { url: "https://example.com", domain, slug });
  for (const wrong of ["a..b", ".a", "a.", "-a.b", "a-.b", "a.b:0", "a.b:65536", "a b", "münchen.de"])
    expect(await create(wrong)).toMatchObject({ status: 400, error: { field: "domain" } });
  for (const right of ["GO.example.com", "xn--mnchen-3ya.de", "a.b:65535", "127.0.0.1:8080"])
    expect((await create(right)).status).toBe(201);
  expect(await create("go.EXAMPLE.com")).toMatchObject({ status: 409, error: { field: "slug" } });
});

test("a custom domain belongs to the tenant that used it first", async () => {
  const sandbox = await sandboxFor();
  const wish = { url: "https://a.example", domain: "go.example.com" };
  await apiClientFor(sandbox)("POST", "/shortener/links", wish);
  const refused = await apiClientFor(sandbox, "sandbox_other")("POST", "/shortener/links", wish);
  expect(refused).toMatchObject({ status: 409, error: { field: "domain" } });
});

test("a changed link keeps its address and unnamed fields; a deleted one is a 404", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { data, id } = await call("POST", "/shortener/links", {
    url: "https://old.example",
    utm_source: "u",
    slug: "s",
  });
  const changed = await call("PATCH", `/shortener/links/${id}`, { url: "https://new.example/" });
  expect(changed.data).toMatchObject({ destination_url: "https://new.example/", slug: "s" });
  const { short_url } = linkSchema.parse(data);
  expect((await visit(short_url)).headers.get("location")).toBe("https://new.example/?utm_source=u");
  expect((await call("PATCH", `/shortener/links/${id}`, { slug: "t" })).error?.field).toBe("slug");
  expect(await call("DELETE", `/shortener/links/${id}`)).toMatchObject({ status: 200, data: {} });
  expect((await visit(short_url)).status).toBe(404);
  expect((await call("DELETE", `/shortener/links/${id}`)).error?.code).toBe("RESOURCE_NOT_FOUND");
});
