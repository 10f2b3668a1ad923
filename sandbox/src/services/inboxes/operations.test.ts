import { createTransport } from "nodemailer";
import { expect, onTestFinished, test } from "vitest";
import { apiClientFor, sandboxFor } from "../../../test/api-client.js";

test("an inbox has an address that begins with its prefix, and an hour to live", async () => {
  const sandbox = await sandboxFor();
  sandbox.clock.freeze(new Date("2030-01-01T00:00:00Z"));
  const call = apiClientFor(sandbox);
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
  const call = apiClientFor(sandbox);
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

test("every prefix that is taken makes an address that takes mail", async () => {
  const sandbox = await sandboxFor({ smtpPort: 0 });
  const call = apiClientFor(sandbox);
  const transport = createTransport({ ...sandbox.smtp, ignoreTLS: true });
  onTestFinished(() => transport.close());
  for (const prefix of ["a", "A.b", "a_.-b", "a--b", "a.b.c", "0".repeat(40)]) {
    const { data, status } = await call("POST", "/tempmail/inboxes", { prefix });
    expect(status).toBe(201);
    await transport.sendMail({ from: "a@example.com", to: Object(data).email_address, text: "Hello" });
  }
  for (const prefix of ["", ".a", "a.", "a..b", "a...b", "-a", "a-", "a b", "a@b", "ü", "0".repeat(41)])
    expect(await call("POST", "/tempmail/inboxes", { prefix })).toMatchObject({
      status: 400,
      error: { field: "prefix" },
    });
});

test("a creation without a body takes the defaults", async () => {
  const call = apiClientFor(await sandboxFor());
  expect((await call("POST", "/tempmail/inboxes")).data).toMatchObject({ ttl_minutes: 60 });
  expect((await call("GET", "/tempmail/messages/msg_1")).error?.code).toBe("RESOURCE_NOT_FOUND");
});
