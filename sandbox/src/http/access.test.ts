import { expect, test } from "vitest";
import { apiClientFor, aWebhook, sandboxFor } from "../../test/api-client.js";

test("a missing or malformed key is a 401, even on unknown routes", async () => {
  const sandbox = await sandboxFor();
  for (const key of ["", "live_1", "sandbox_", "sandbox_a.admin"]) {
    expect(await apiClientFor(sandbox, key)("GET", "/nowhere")).toMatchObject({
      status: 401,
      error: { code: "UNAUTHORIZED" },
    });
  }
  expect((await fetch(`${sandbox.baseUrl}/databases`)).status).toBe(401);
});

test("a read-only key can read its tenant and change nothing", async () => {
  const sandbox = await sandboxFor();
  const { id } = await apiClientFor(sandbox)("POST", "/webhooks", aWebhook);
  const reader = apiClientFor(sandbox, "sandbox_local.readonly");
  expect((await reader("GET", `/webhooks/${id}`)).status).toBe(200);
  for (const [method, path] of [
    ["DELETE", `/webhooks/${id}`],
    ["POST", "/webhooks"],
  ] as const) {
    expect(await reader(method, path)).toMatchObject({ status: 403, error: { code: "FORBIDDEN" } });
  }
});

test("an unknown endpoint is a ROUTE_NOT_FOUND, and a wrong method a 405 with Allow", async () => {
  const call = apiClientFor(await sandboxFor());
  expect(await call("GET", "/nowhere")).toMatchObject({ status: 404, error: { code: "ROUTE_NOT_FOUND" } });
  const refused = await call("PUT", "/databases");
  expect(refused).toMatchObject({ status: 405, error: { code: "METHOD_NOT_ALLOWED" } });
  expect(refused.headers.get("allow")).toBe("POST, GET");
});

test("a tenant over its rate limit gets 429 with the seconds to wait", async () => {
  const sandbox = await sandboxFor({ rateLimit: { requests: 2, perMs: 60_000 } });
  sandbox.clock.freeze();
  const call = apiClientFor(sandbox);
  await call("GET", "/webhooks");
  await call("GET", "/webhooks");
  const refused = await call("GET", "/webhooks");
  expect(refused).toMatchObject({ status: 429, error: { code: "RATE_LIMITED" } });
  expect(refused.headers.get("retry-after")).toBe("60");
  expect((await apiClientFor(sandbox, "sandbox_other")("GET", "/webhooks")).status).toBe(200);
  await sandbox.clock.advance(60_000);
  expect((await call("GET", "/webhooks")).status).toBe(200);
});
