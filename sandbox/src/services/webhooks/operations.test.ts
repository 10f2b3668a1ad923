import { expect, test } from "vitest";
import { apiClientFor, aWebhook, sandboxFor } from "../../../test/api-client.js";

test("the secret never comes back, from no operation", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const created = await call("POST", "/webhooks", aWebhook);
  const path = `/webhooks/${created.id}`;
  expect(created.data).toEqual({
    id: expect.stringMatching(/^wh_/),
    url: aWebhook.url,
    events: aWebhook.events,
    created_at: expect.any(String),
  });
  const replies = [
    created,
    await call("GET", path),
    await call("GET", "/webhooks"),
    await call("PATCH", path, { secret: "another-secret" }),
  ];
  for (const { text } of replies) expect(text).not.toContain("secret");
  expect(JSON.stringify(sandbox.journal())).not.toMatch(/a-shared-secret|another-secret/);
  expect(sandbox.resources()[0]?.fields).toMatchObject({ secret: "another-secret" });
});

test("a receiver on this machine may go without TLS, except in the documented profile", async () => {
  const local = { ...aWebhook, url: "http://127.0.0.1:9/hooks" };
  expect((await apiClientFor(await sandboxFor())("POST", "/webhooks", local)).status).toBe(201);
  const documented = apiClientFor(await sandboxFor({ profile: "documented" }));
  expect((await documented("POST", "/webhooks", local)).error?.field).toBe("url");
});

test("a change keeps what was not named, and deletion is final", async () => {
  const call = apiClientFor(await sandboxFor());
  const { id } = await call("POST", "/webhooks", aWebhook);
  const events = ["database.backup.failed"];
  expect((await call("PATCH", `/webhooks/${id}`, { events })).data).toMatchObject({
    url: aWebhook.url,
    events,
  });
  expect((await call("PATCH", `/webhooks/${id}`, { url: "ftp://x" })).error?.field).toBe("url");
  await call("DELETE", `/webhooks/${id}`);
  expect((await call("GET", `/webhooks/${id}`)).status).toBe(404);
});
