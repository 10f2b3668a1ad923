import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { apiClientFor, aWebhook, sandboxFor } from "../../../test/api-client.js";
import { type Received, receiver } from "../../../test/receiver.js";
import type { Sandbox } from "../../sandbox.js";

test("a failed attempt is retried with growing delays under the same id", async () => {
  const sandbox = await sandboxFor();
  sandbox.clock.freeze();
  const { url, received } = await receiver(500, 302, 204);
  await apiClientFor(sandbox)("POST", "/webhooks", { ...aWebhook, url });
  sandbox.emit("local", "vps.snapshot.completed", { n: 1 });
  await sandbox.idle();
  expect(sandbox.deliveries()).toMatchObject([{ status: "pending", attempts: [{ status_code: 500 }] }]);
  await sandbox.clock.advance(4_999);
  expect(received).toHaveLength(1);
  await sandbox.clock.advance(1 + 30_000);
  expect(sandbox.deliveries("local")).toMatchObject([
    { status: "delivered", attempts: [{ status_code: 500 }, { status_code: 302 }, { status_code: 204 }] },
  ]);
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  await sandbox.clock.advance(86_400_000);
  expect(received).toHaveLength(3);
});

test("a delivery fails after six attempts", async () => {
  const sandbox = await sandboxFor();
  const { url, received } = await receiver(503);
  await apiClientFor(sandbox)("POST", "/webhooks", { ...aWebhook, url });
  sandbox.emit("local", "vps.snapshot.completed", {});
  await sandbox.clock.advance(86_400_000);
  expect(sandbox.deliveries()[0]).toMatchObject({ status: "failed" });
  expect(received).toHaveLength(6);
});

test("a retry uses the webhook's present address and secret", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const [former, present] = [await receiver(503), await receiver(200)];
  const { id } = await call("POST", "/webhooks", { ...aWebhook, url: former.url, secret: "former" });
  sandbox.emit("local", "vps.snapshot.completed", { n: 1 });
  await sandbox.idle();
  await call("PATCH", `/webhooks/${id}`, { url: present.url, secret: "present" });
  await sandbox.clock.advance(86_400_000);
  expect(former.received).toHaveLength(1);
  const [{ body, headers } = { body: "", headers: {} }] = present.received;
  const verified = new Webhook("present", { format: "raw" }).verify(
    body,
    JSON.parse(JSON.stringify(headers)),
  );
  expect(verified).toMatchObject({ data: { n: 1 } });
  expect(sandbox.deliveries()).toMatchObject([{ url: present.url, status: "delivered" }]);
});

/** Expects no attempt after the first. */
async function expectGivenUp(sandbox: Sandbox, received: readonly Received[], why: string): Promise<void> {
  await sandbox.clock.advance(86_400_000);
  expect(received).toHaveLength(1);
  const error = `Not sent: ${why}.`;
  expect(sandbox.deliveries()).toMatchObject([
    { status: "failed", attempts: [{ status_code: 503 }, { error }] },
  ]);
}

test("a retry fails with a reason after the webhook is deleted", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { url, received } = await receiver(503);
  const { id } = await call("POST", "/webhooks", { ...aWebhook, url });
  sandbox.emit("local", "vps.snapshot.completed", {});
  await sandbox.idle();
  await call("DELETE", `/webhooks/${id}`);
  await sandbox.clock.advance(86_400_000);
  expect(received).toHaveLength(1);
  expect(sandbox.deliveries()).toMatchObject([
    {
      status: "failed",
      attempts: [{ status_code: 503 }, { error: "Not sent: the webhook was deleted." }],
    },
  ]);
});

test("a retry fails with a reason after the webhook unsubscribes", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { url, received } = await receiver(503);
  const { id } = await call("POST", "/webhooks", { ...aWebhook, url });
  sandbox.emit("local", "vps.snapshot.completed", {});
  await sandbox.idle();
  await call("PATCH", `/webhooks/${id}`, { events: ["database.backup.failed"] });
  await expectGivenUp(sandbox, received, "the webhook no longer subscribes to vps.snapshot.completed");
});

test("a retry of a mail push fails with a reason after the inbox is deleted", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { url, received } = await receiver(503);
  const { id, data } = await call("POST", "/tempmail/inboxes", { webhook_url: url });
  await sandbox.sendMail({ to: Object(data).email_address, subject: "Hello" });
  await sandbox.idle();
  await call("DELETE", `/tempmail/inboxes/${id}`);
  await expectGivenUp(sandbox, received, "the inbox was deleted, or has expired");
});
