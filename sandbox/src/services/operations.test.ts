import { expect, test } from "vitest";
import { apiClientFor, sandboxFor } from "../../test/api-client.js";
import { operationsOf } from "./operations.js";

test("every success and every error has the documented envelope", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const created = JSON.parse((await call("POST", "/shortener/links", { url: "https://example.com" })).text);
  expect(Object.keys(created)).toEqual(["status", "data", "meta"]);
  expect(created.status).toBe("success");
  expect(created.meta).toEqual({ request_id: expect.stringMatching(/^req_/), timestamp: expect.any(Number) });
  expect(Number.isInteger(created.meta.timestamp)).toBe(true);
  const refused = JSON.parse((await call("POST", "/shortener/links", {})).text);
  expect(Object.keys(refused)).toEqual(["status", "error"]);
  expect(refused.error).toEqual({
    code: "VALIDATION_ERROR",
    message: '"url" is required.',
    field: "url",
    doc_url: `${sandbox.url}/_sandbox/errors#VALIDATION_ERROR`,
  });
});

test("the documented profile has exactly the documented endpoints", () => {
  expect(
    operationsOf("documented")
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  ).toEqual([
    "GET /shortener/links",
    "GET /shortener/links/:id/analytics",
    "GET /shortener/links/:id/qr.svg",
    "GET /tempmail/inboxes/:inbox_id/messages",
    "GET /tempmail/messages/:message_id",
    "GET /utils/dns",
    "GET /utils/ip/:ip_address",
    "POST /databases",
    "POST /shortener/links",
    "POST /tempmail/inboxes",
    "POST /utils/webhooks/relay",
    "POST /vps/instances",
    "POST /vps/instances/:id/actions",
    "POST /webhooks",
    "PUT /databases/:id/backup-schedule",
  ]);
});
