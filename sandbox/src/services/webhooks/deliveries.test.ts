import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { apiClientFor, aServer, aWebhook, sandboxFor } from "../../../test/api-client.js";
import { collectGarbage } from "../../../test/garbage-collector.js";
import { isLoopback } from "../../core/network-addresses.js";
import type { Sandbox } from "../../sandbox.js";
import { createOutbound, reasonOf } from "./outbound.js";

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A receiver that answers with the given statuses, the last one from then on. */
async function receiver(...statuses: number[]): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part));
    received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
    response.writeHead(statuses[received.length - 1] ?? statuses.at(-1) ?? 200, {
      location: "https://example.com",
    });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { url: `http://127.0.0.1:${Object(server.address()).port}/hooks`, received };
}

test("a finished snapshot notifies who subscribed, and the official library verifies it", async () => {
  const sandbox = await sandboxFor({ provisioning: { vpsMs: 0, vpsActionMs: 1000 } });
  const call = apiClientFor(sandbox);
  const { url, received } = await receiver(200);
  const bytes = Buffer.from("0123456789abcdef0123456789abcdef");
  for (const secret of ["a-shared-secret", `whsec_${bytes.toString("base64")}`]) {
    await call("POST", "/webhooks", { ...aWebhook, url, secret });
  }
  await call("POST", "/webhooks", { ...aWebhook, url, events: ["database.backup.failed"] });
  await apiClientFor(sandbox, "sandbox_other")("POST", "/webhooks", { ...aWebhook, url });
  const { id } = await call("POST", "/vps/instances", aServer);
  await sandbox.clock.advance(1);
  await call("POST", `/vps/instances/${id}/actions`, { action: "create_snapshot" });
  expect(received).toEqual([]);
  await sandbox.clock.advance(1000);
  expect(received).toHaveLength(2);
  const verifiers = [
    new Webhook("a-shared-secret", { format: "raw" }),
    new Webhook(bytes, { format: "raw" }),
  ];
  const verified = verifiers.map((verifier) =>
    received.flatMap(({ body, headers }) => {
      try {
        return [verifier.verify(body, JSON.parse(JSON.stringify(headers)))];
      } catch {
        return [];
      }
    }),
  );
  const notification = {
    event: "vps.snapshot.completed",
    data: {
      snapshot_id: expect.stringMatching(/^snap_/),
      instance_id: id,
      instance_name: "web",
      completed_at: expect.stringMatching(/Z$/),
    },
  };
  expect(verified).toEqual([[notification], [notification]]);
  expect(received[0]?.headers["content-type"]).toBe("application/json");
});

test("an attempt that fails is made again, later and later, under the same id, until one succeeds", async () => {
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

test("six attempts are all", async () => {
  const sandbox = await sandboxFor();
  const { url, received } = await receiver(503);
  await apiClientFor(sandbox)("POST", "/webhooks", { ...aWebhook, url });
  sandbox.emit("local", "vps.snapshot.completed", {});
  await sandbox.clock.advance(86_400_000);
  expect(sandbox.deliveries()[0]).toMatchObject({ status: "failed" });
  expect(received).toHaveLength(6);
});

test("a deleted webhook gets nothing more, and the delivery says why", async () => {
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

test("the next attempt goes where the webhook points by then, under its secret of then", async () => {
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

/** However long it is waited for, nothing follows the first attempt. */
async function expectGivenUp(sandbox: Sandbox, received: readonly Received[], why: string): Promise<void> {
  await sandbox.clock.advance(86_400_000);
  expect(received).toHaveLength(1);
  const error = `Not sent: ${why}.`;
  expect(sandbox.deliveries()).toMatchObject([
    { status: "failed", attempts: [{ status_code: 503 }, { error }] },
  ]);
}

test("a webhook that no longer subscribes gets nothing more, and the delivery says why", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { url, received } = await receiver(503);
  const { id } = await call("POST", "/webhooks", { ...aWebhook, url });
  sandbox.emit("local", "vps.snapshot.completed", {});
  await sandbox.idle();
  await call("PATCH", `/webhooks/${id}`, { events: ["database.backup.failed"] });
  await expectGivenUp(sandbox, received, "the webhook no longer subscribes to vps.snapshot.completed");
});

test("an inbox that is gone pushes nothing more, and the delivery says why", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const { url, received } = await receiver(503);
  const { id, data } = await call("POST", "/tempmail/inboxes", { webhook_url: url });
  await sandbox.sendMail({ to: Object(data).email_address, subject: "Hello" });
  await sandbox.idle();
  await call("DELETE", `/tempmail/inboxes/${id}`);
  await expectGivenUp(sandbox, received, "the inbox was deleted, or has expired");
});

test("a thousand deliveries are kept, beside those that still wait", async () => {
  const sandbox = await sandboxFor();
  sandbox.clock.freeze();
  const call = apiClientFor(sandbox);
  const [dead, alive] = [await receiver(503), await receiver(200)];
  const { id } = await call("POST", "/webhooks", { ...aWebhook, url: dead.url });
  sandbox.emit("local", "vps.snapshot.completed", { n: 0 });
  await sandbox.idle();
  await call("PATCH", `/webhooks/${id}`, { url: alive.url, events: ["database.backup.failed"] });
  for (let n = 1; n <= 1_100; n++) {
    sandbox.emit("local", "database.backup.failed", { n });
    if (n % 10 === 0) await sandbox.idle();
  }
  const numbers = sandbox.deliveries().map(({ body }) => JSON.parse(body).data.n);
  expect(numbers).toHaveLength(1_000);
  expect([numbers[0], numbers[1], numbers.at(-1)]).toEqual([0, 102, 1_100]);
});

test("much may be under way at once without a warning of the runtime", async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  process.on("warning", warned);
  onTestFinished(() => void process.off("warning", warned));
  const { url, received } = await receiver(200);
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  sandbox.faults.add({ kind: "slow", ms: 100, when: "before", route: "*" });
  const body = { target_url: url, payload: {} };
  await Promise.all(Array.from({ length: 30 }, () => call("POST", "/utils/webhooks/relay", body)));
  expect(received).toHaveLength(30);
  expect(warnings).toEqual([]);
});

test("nothing leaves this machine unless it is allowed to, and the delivery says so", async () => {
  const sandbox = await sandboxFor();
  await apiClientFor(sandbox)("POST", "/webhooks", aWebhook);
  sandbox.emit("local", "vps.snapshot.completed", {});
  await sandbox.idle();
  expect(sandbox.deliveries()).toMatchObject([
    { status: "failed", attempts: [{ error: expect.stringMatching(/example\.com.*--allow-outbound/) }] },
  ]);
});

test("events over HTTP, and only those of the specification", async () => {
  const sandbox = await sandboxFor();
  const { url, received } = await receiver(200);
  await apiClientFor(sandbox)("POST", "/webhooks", { ...aWebhook, url, events: ["database.backup.failed"] });
  const post = (body: object) =>
    fetch(`${sandbox.url}/_sandbox/events`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await post({ event: "database.backup.failed", data: { why: "no room" } })).status).toBe(200);
  expect((await post({ event: "link.clicked" })).status).toBe(400);
  await sandbox.idle();
  expect(received.map(({ body }) => JSON.parse(body))).toEqual([
    { event: "database.backup.failed", data: { why: "no room" } },
  ]);
  expect(await (await fetch(`${sandbox.url}/_sandbox/deliveries`)).json()).toEqual(sandbox.deliveries());
  await sandbox.reset();
  expect(sandbox.deliveries()).toEqual([]);
});

test("the relay forwards the payload and the headers, and tells what came back", async () => {
  const call = apiClientFor(await sandboxFor());
  const { url, received } = await receiver(202, 404);
  const relay = (body: object) => call("POST", "/utils/webhooks/relay", body);
  const sent = { target_url: url, payload: { deep: { list: [1, "ü"] } }, headers: { "X-Source": "relay" } };
  expect(await relay(sent)).toMatchObject({ status: 200, data: { delivered: true, status_code: 202 } });
  expect(JSON.parse(received[0]?.body ?? "")).toEqual(sent.payload);
  expect(received[0]?.headers).toMatchObject({ "x-source": "relay", "content-type": "application/json" });
  expect((await relay(sent)).data).toEqual({ delivered: false, status_code: 404 });
  expect(received[1]?.headers["user-agent"]).toBe("cloudservices-sandbox");
  await relay({ ...sent, headers: { "User-Agent": "me" } });
  expect(received[2]?.headers["user-agent"]).toBe("me");
  expect((await relay({ ...sent, target_url: "http://127.0.0.1:1/" })).data).toEqual({
    delivered: false,
    error: expect.any(String),
  });
});

test.each([
  ["target_url", { target_url: "https://example.com/" }],
  ["target_url", { target_url: "http://169.254.169.254/latest/meta-data" }],
  ["target_url", { target_url: "file:///etc/passwd" }],
  ["payload", { payload: "text" }],
  ["headers.Host", { headers: { Host: "evil.example" } }],
  ["headers.x", { headers: { x: "a\r\nb: c" } }],
  ["headers.a b", { headers: { "a b": "c" } }],
])("the relay refuses a wrong %s", async (field, wrong) => {
  const call = apiClientFor(await sandboxFor());
  const body = { target_url: "http://127.0.0.1:9/", payload: {}, ...wrong };
  expect(await call("POST", "/utils/webhooks/relay", body)).toMatchObject({ status: 400, error: { field } });
});

test("a silent receiver is given up in time, whatever the garbage collector does meanwhile", async () => {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, "listening");
  collectGarbage();
  const url = `http://127.0.0.1:${Object(server.address()).port}/`;
  const sent = createOutbound({
    allowsAll: false,
    closing: new AbortController().signal,
    ownPorts: () => [],
    timeoutMs: 500,
  }).post(url, "{}", {});
  expect(await sent.catch(reasonOf)).toBe("No answer within 0.5 seconds.");
});

test("only what can be nothing else is this machine", () => {
  expect(["localhost", "127.0.0.1", "127.9.9.9", "[::1]"].every(isLoopback)).toBe(true);
  expect(
    ["127.0.0.1.example.com", "localhost.example.com", "10.0.0.1", "[::]", "0.0.0.0", "2130706433"].some(
      isLoopback,
    ),
  ).toBe(false);
});
