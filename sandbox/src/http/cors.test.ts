import { expect, test } from "vitest";
import { sandboxFor } from "../../test/api-client.js";

const ORIGIN = "https://app.example.com";
const preflight = { origin: ORIGIN, "access-control-request-method": "DELETE" };
const key = { authorization: "Bearer sandbox_local" };

test("pages of an allowed origin can use the API, errors included, and not control", async () => {
  const sandbox = await sandboxFor({ corsOrigins: [`${ORIGIN}/`] });
  const asked = await fetch(`${sandbox.baseUrl}/webhooks/x`, { method: "OPTIONS", headers: preflight });
  expect(asked.status).toBe(204);
  expect(asked.headers.get("access-control-allow-origin")).toBe(ORIGIN);
  expect(asked.headers.get("access-control-allow-methods")).toContain("DELETE");
  expect(asked.headers.get("access-control-allow-headers")).toMatch(/authorization/i);
  for (const headers of [{ origin: ORIGIN, ...key }, { origin: ORIGIN }]) {
    const response = await fetch(`${sandbox.baseUrl}/webhooks`, { headers });
    expect(response.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(response.headers.get("access-control-expose-headers")).toContain("X-Request-Id");
    expect(response.headers.get("vary")).toBe("Origin");
  }
  const control = await fetch(`${sandbox.url}/_sandbox/resources`, { headers: { origin: ORIGIN } });
  expect([control.status, control.headers.get("access-control-allow-origin")]).toEqual([403, null]);
  expect(sandbox.journal().map(({ method }) => method)).toEqual(["GET", "GET"]);
});

test("pages of other origins cannot, and none can by default", async () => {
  for (const options of [{}, { corsOrigins: ["https://other.example.com"] }]) {
    const sandbox = await sandboxFor(options);
    const asked = await fetch(`${sandbox.baseUrl}/webhooks`, { method: "OPTIONS", headers: preflight });
    expect(asked.status).toBe(401);
    const read = await fetch(`${sandbox.baseUrl}/webhooks`, { headers: { origin: ORIGIN, ...key } });
    for (const { headers } of [asked, read]) expect(headers.get("access-control-allow-origin")).toBeNull();
  }
});

test("an origin is a scheme and a host, or any", async () => {
  const { baseUrl } = await sandboxFor({ corsOrigins: ["*"] });
  const read = await fetch(`${baseUrl}/webhooks`, { headers: { origin: "null", ...key } });
  expect(read.headers.get("access-control-allow-origin")).toBe("null");
  for (const wrong of ["app.example.com", "https://a.example/path", "ftp://a.example", ""])
    await expect(sandboxFor({ corsOrigins: [wrong] }), wrong).rejects.toThrow(/corsOrigins/);
});
