import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { EventVerificationError } from "./core/errors.js";
import { receiveEvent, verifyEvent } from "./events.js";

const now = Date.UTC(2030, 0, 1);
const secret = `whsec_${Buffer.from("a secret of thirty-two bytes ...").toString("base64")}`;
const body = JSON.stringify({
  event: "database.backup.completed",
  data: {
    backup_id: "bk_1",
    database_id: "db_1",
    database_name: "main",
    size_mb: 12,
    duration_seconds: 3,
    completed_at: "2030-01-01T00:00:00Z",
    download_url_expires_at: "2030-01-08T00:00:00Z",
    brand_new: 1,
  },
});

/** Signs as the reference implementation of Standard Webhooks does. */
function signed(payload: string, { key = secret, at = now, raw = false } = {}): Record<string, string> {
  const webhook = raw ? new Webhook(key, { format: "raw" }) : new Webhook(key);
  const signature = webhook.sign("msg_1", new Date(at), payload);
  return {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at / 1000)),
    "webhook-signature": signature,
  };
}

describe("a notification", () => {
  it("is accepted and typed when the reference implementation signs it", () => {
    const event = verifyEvent(body, signed(body), secret, { now });
    expect(event).toEqual({
      id: "msg_1",
      sentAt: new Date(now),
      event: "database.backup.completed",
      type: "database.backup.completed",
      data: {
        backupId: "bk_1",
        databaseId: "db_1",
        databaseName: "main",
        sizeMb: 12,
        durationSeconds: 3,
        completedAt: "2030-01-01T00:00:00Z",
        downloadUrlExpiresAt: "2030-01-08T00:00:00Z",
        brandNew: 1,
      },
    });
    if (event.type === "database.backup.completed") expect(event.data.sizeMb).toBe(12);
  });

  it("is accepted when signed with a plain-text secret", () => {
    const key = "correct horse battery staple";
    expect(verifyEvent(body, signed(body, { key, raw: true }), key, { now }).id).toBe("msg_1");
  });

  it("is verified as bytes, with headers of any kind and case", () => {
    const bytes = new TextEncoder().encode(body);
    expect(verifyEvent(bytes, new Headers(signed(body)), secret, { now }).id).toBe("msg_1");
    const upper = Object.fromEntries(
      Object.entries(signed(body)).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    expect(verifyEvent(bytes, upper, secret, { now }).id).toBe("msg_1");
  });

  it("is accepted with one of several secrets or signatures", () => {
    const old = "whsec_b2xkIG9sZCBvbGQgb2xkIG9sZA==";
    expect(verifyEvent(body, signed(body, { key: old }), [secret, old], { now }).id).toBe("msg_1");
    const headers = signed(body);
    const both = `${signed(body, { key: old })["webhook-signature"]} v1a,asymmetric ${headers["webhook-signature"]}`;
    expect(verifyEvent(body, { ...headers, "webhook-signature": both }, secret, { now }).id).toBe("msg_1");
  });

  it.each([
    ["its body was changed", (headers: Record<string, string>) => [`${body} `, headers] as const],
    [
      "its id was changed",
      (headers: Record<string, string>) => [body, { ...headers, "webhook-id": "msg_2" }] as const,
    ],
    [
      "its time was changed",
      (headers: Record<string, string>) =>
        [body, { ...headers, "webhook-timestamp": String(now / 1000 + 1) }] as const,
    ],
    [
      "its signature is empty",
      (headers: Record<string, string>) => [body, { ...headers, "webhook-signature": "v1," }] as const,
    ],
    [
      "its signature is of another version",
      (headers: Record<string, string>) =>
        [
          body,
          { ...headers, "webhook-signature": headers["webhook-signature"]?.replace("v1,", "v2,") },
        ] as const,
    ],
    ["it has no headers", () => [body, {}] as const],
  ])("is rejected when %s", (_, change) => {
    const [changed, headers] = change(signed(body));
    expect(() => verifyEvent(changed, headers, secret, { now })).toThrow(EventVerificationError);
  });

  it.each(["", "whsec_"])("is rejected when the secret %j is empty", (empty) => {
    expect(() => verifyEvent(body, signed(body), empty, { now })).toThrow(/empty/);
    expect(() => verifyEvent(body, signed(body), [secret, empty], { now })).toThrow(/empty/);
  });

  it("is rejected when its age exceeds the tolerance, in the past or the future", () => {
    expect(() => verifyEvent(body, signed(body, { at: now - 301_000 }), secret, { now })).toThrow(/replay/);
    expect(() => verifyEvent(body, signed(body, { at: now + 301_000 }), secret, { now })).toThrow(/future/);
    const old = signed(body, { at: now - 3_600_000 });
    expect(verifyEvent(body, old, secret, { now, tolerance: 7_200 }).id).toBe("msg_1");
  });

  it("errors never show the secret or the expected signature", () => {
    try {
      verifyEvent(`${body} `, signed(body), secret, { now });
      expect.unreachable();
    } catch (error) {
      expect(JSON.stringify(error) + String(error)).not.toMatch(/whsec|v1,/);
    }
  });

  it("of an unknown event is accepted under its own name", () => {
    const other = JSON.stringify({ event: "vps.resized", data: { instance_id: "vps_1" } });
    expect(verifyEvent(other, signed(other), secret, { now })).toMatchObject({
      type: "other",
      event: "vps.resized",
      data: { instanceId: "vps_1" },
    });
  });

  it.each(["database.backup.failed", "vps.snapshot.completed"])("%s is accepted with any data", (event) => {
    const payload = JSON.stringify({ event, data: { any_thing: [1] } });
    expect(verifyEvent(payload, signed(payload), secret, { now })).toMatchObject({
      type: event,
      data: { anyThing: [1] },
    });
  });

  it.each([
    "[]",
    "null",
    "{}",
    '{"event":5}',
    "not json",
    body.replace("12", '"big"'),
    body.replace("size_mb", "size"),
  ])("is rejected when its body is no event: %s", (payload) => {
    expect(() => verifyEvent(payload, signed(payload), secret, { now })).toThrow(EventVerificationError);
  });
});

describe("receiveEvent", () => {
  it("reads a web Request", async () => {
    const request = new Request("https://example.com/hooks", { method: "POST", body, headers: signed(body) });
    expect(await receiveEvent(request, secret, { now })).toMatchObject({ type: "database.backup.completed" });
  });

  it("reads a node:http message", async () => {
    const received: unknown[] = [];
    const server = createServer(async (request, response) => {
      received.push(await receiveEvent(request, secret, { now }).catch((error: unknown) => error));
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    await fetch(`http://127.0.0.1:${port}`, { method: "POST", body, headers: signed(body) });
    server.close();
    expect(received).toMatchObject([{ type: "database.backup.completed" }]);
  });

  it("stops reading at the size limit", async () => {
    const request = new Request("https://example.com", {
      method: "POST",
      body: "x".repeat(2_000),
      headers: signed(body),
    });
    await expect(receiveEvent(request, secret, { now, maxBytes: 1_000 })).rejects.toThrow(
      /larger than 1000 bytes/,
    );
  });
});
