import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test } from "vitest";
import { apiClientFor, aServer, aWebhook, sandboxFor } from "../../../test/api-client.js";
import { receiver } from "../../../test/receiver.js";

test("a finished snapshot notifies its subscribers, and the official library verifies the signature", async () => {
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

test("control emits the events of the specification over HTTP", async () => {
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

test("a delivery fails with a reason where outbound requests are off", async () => {
  const sandbox = await sandboxFor();
  await apiClientFor(sandbox)("POST", "/webhooks", aWebhook);
  sandbox.emit("local", "vps.snapshot.completed", {});
  await sandbox.idle();
  expect(sandbox.deliveries()).toMatchObject([
    { status: "failed", attempts: [{ error: expect.stringMatching(/example\.com.*--allow-outbound/) }] },
  ]);
});

test("the last thousand deliveries are kept, and all pending ones", async () => {
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

test("ten thousand deliveries are the most, and the oldest give way, even if they are pending", {
  timeout: 120_000,
}, async () => {
  const sandbox = await sandboxFor();
  sandbox.clock.freeze();
  await apiClientFor(sandbox)("POST", "/webhooks", { ...aWebhook, url: (await receiver(503)).url });
  for (let n = 1; n <= 10_020; n++) {
    sandbox.emit("local", "vps.snapshot.completed", { n });
    if (n % 50 === 0) await sandbox.idle();
  }
  const numbers = sandbox.deliveries().map(({ body }) => JSON.parse(body).data.n);
  expect(numbers).toHaveLength(10_000);
  expect([numbers[0], numbers.at(-1)]).toEqual([21, 10_020]);
  expect(new Set(sandbox.deliveries().map(({ status }) => status))).toEqual(new Set(["pending"]));
});

test("thirty simultaneous relays cause no warning of the runtime", async () => {
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
