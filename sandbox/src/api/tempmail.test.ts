import { expect, test } from "vitest";
import { callerFor, sandboxFor } from "../../test/caller.js";

test("an inbox has an address that begins with its prefix, and an hour to live", async () => {
  const sandbox = await sandboxFor();
  sandbox.clock.freeze(new Date("2030-01-01T00:00:00Z"));
  const call = callerFor(sandbox);
  const { status, data, id } = await call("POST", "/tempmail/inboxes", { prefix: "Sign-up" });
  expect(status).toBe(201);
  expect(data).toEqual({
    inbox_id: expect.stringMatching(/^inbox_/),
    email_address: expect.stringMatching(/^sign-up-[a-z0-9]{10}@tempmail\.test$/),
    ttl_minutes: 60,
    expires_at: "2030-01-01T01:00:00.000Z",
    message_count: 0,
    created_at: "2030-01-01T00:00:00.000Z",
  });
  expect((await call("GET", `/tempmail/inboxes/${id}`)).data).toEqual(data);
  expect((await call("GET", `/tempmail/inboxes/${id}/messages`)).data).toEqual([]);
});

test("an inbox whose time is over is not found, by any operation, and not listed", async () => {
  const sandbox = await sandboxFor();
  sandbox.clock.freeze();
  const call = callerFor(sandbox);
  const { id } = await call("POST", "/tempmail/inboxes", { ttl_minutes: 1, domain: "inbox.test" });
  await sandbox.clock.advance(59_999);
  expect((await call("GET", `/tempmail/inboxes/${id}`)).status).toBe(200);
  await sandbox.clock.advance(1);
  for (const [method, path] of [
    ["GET", ""],
    ["GET", "/messages"],
    ["DELETE", ""],
  ] as const) {
    expect((await call(method, `/tempmail/inboxes/${id}${path}`)).error?.code).toBe("RESOURCE_NOT_FOUND");
  }
  expect((await call("GET", "/tempmail/inboxes")).data).toEqual([]);
});

test("a creation without a body takes the defaults", async () => {
  const call = callerFor(await sandboxFor());
  expect((await call("POST", "/tempmail/inboxes")).data).toMatchObject({ ttl_minutes: 60 });
  expect((await call("GET", "/tempmail/messages/msg_1")).error?.code).toBe("RESOURCE_NOT_FOUND");
});
