import { MockAgent } from "undici";
import { describe, expect, it } from "vitest";
import { errorOf } from "../../test/support/failure.js";
import { CloudServices } from "./client.js";
import {
  BadRequestError,
  NotFoundError,
  ServerError,
  UndocumentedCallError,
  UnreadableResponseError,
  ValidationError,
} from "./core/errors.js";
import type { ClientOptions } from "./core/settings.js";
import { wireDatabase, wireLink, wireServer } from "./testing/wire.js";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** A client whose requests are recorded, with scripted responses. */
function scripted(
  responses: { status?: number; data?: unknown; body?: string; headers?: Record<string, string> }[],
  options: ClientOptions = {},
) {
  const sent: Sent[] = [];
  const agent = new MockAgent();
  agent.disableNetConnect();
  const pool = agent.get("https://api.example.com");
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
    pool
      .intercept({ path: () => true, method })
      .reply((request) => {
        sent.push({
          method: request.method,
          path: request.path,
          headers: Object.fromEntries(Object.entries(request.headers ?? {})),
          body: typeof request.body === "string" ? request.body : undefined,
        });
        const { status = 200, data, body, headers = {} } = responses[sent.length - 1] ?? {};
        const envelope =
          status < 400 ? { status: "success", data, meta: { request_id: "req_1", timestamp: 7 } } : data;
        return { statusCode: status, data: body ?? JSON.stringify(envelope), responseOptions: { headers } };
      })
      .persist();
  }
  const client = new CloudServices({
    apiKey: "sk_live_1",
    baseUrl: "https://api.example.com/v1/",
    dispatcher: agent,
    ...options,
  });
  return { client, sent };
}

const error = (code: string) => ({ status: "error", error: { code, message: "because" } });

describe("a call", () => {
  it("sends one request with the required headers only", async () => {
    const { client, sent } = scripted([{ status: 201, data: wireLink }], {
      userAgent: "my-app/1",
    });
    const link = await client.links.create({ url: "https://example.com", utmSource: "mail", title: "ü" });
    expect(link).toEqual({
      id: "link_1",
      shortUrl: "https://s.example/a",
      destinationUrl: "https://example.com",
      domain: "s.example",
      slug: "a",
      qrCodeUrl: "https://api.example.com/v1/shortener/links/link_1/qr.svg",
      clicksCount: 0,
      createdAt: "2030-01-01T00:00:00Z",
    });
    expect(sent).toMatchObject([{ method: "POST", path: "/v1/shortener/links" }]);
    expect(JSON.parse(sent[0]?.body ?? "")).toEqual({
      url: "https://example.com",
      utm_source: "mail",
      title: "ü",
    });
    expect(sent[0]?.headers).toMatchObject({
      authorization: "Bearer sk_live_1",
      "content-type": "application/json",
      accept: "application/json",
    });
    expect(sent[0]?.headers["user-agent"]).toMatch(/^my-app\/1 cloudservices-sdk\//);
    expect(sent[0]?.headers["idempotency-key"]).toBeUndefined();
  });

  it("withResponse returns status, headers and meta of the same request", async () => {
    const { client, sent } = scripted([{ data: wireLink, headers: { "x-plan": "free" } }]);
    const response = await client.links.get("link_1").withResponse();
    expect(response).toMatchObject({
      data: { id: "link_1" },
      status: 200,
      meta: { requestId: "req_1", timestamp: 7 },
      headers: { "x-plan": "free" },
    });
    expect(sent).toHaveLength(1);
  });

  it("withResponse rejects once and leaves no unhandled rejection", async () => {
    const { client } = scripted([{ status: 400, data: error("VALIDATION_ERROR") }]);
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    await errorOf(client.links.get("link_1").withResponse(), BadRequestError);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  it("rejects an invalid input without sending a request", async () => {
    const { client, sent } = scripted([]);
    // @ts-expect-error: the compiler rejects it, too.
    const promise = client.databases.create({ name: "", engine: "postgresql", nonsense: 1 });
    const { issues } = await errorOf(promise, ValidationError);
    expect(issues.map(({ field }) => field)).toEqual(["name", "version", "plan", "region", "nonsense"]);
    expect(sent).toEqual([]);
  });

  it("applies the options of the single call", async () => {
    const { client, sent } = scripted([{ status: 500, data: error("INTERNAL_ERROR") }]);
    await errorOf(client.vps.get("vps_1", { maxRetries: 0, headers: { "X-Trace": "1" } }), ServerError);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.headers["x-trace"]).toBe("1");
    const wrong = { timeout: -1, deadline: Number.NaN, maxRetries: -1, idempotencyKey: "a b" };
    expect((await errorOf(client.vps.get("vps_1", wrong), ValidationError)).issues).toHaveLength(4);
  });

  it("sends the same idempotency key with each attempt", async () => {
    const responses = [
      { status: 503, data: error("X") },
      { status: 201, data: wireDatabase },
    ];
    const { client, sent } = scripted(responses, { idempotencyKeys: true });
    const input = { name: "n", engine: "postgresql", version: "16", plan: "db-starter-1", region: "eu" };
    await client.databases.create(input);
    const keys = sent.map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
  });

  it("reports what a response of the wrong type lacks, and keeps the new id", async () => {
    const { client } = scripted([{ status: 201, data: { ...wireServer, specs: { vcpus: "two" } } }]);
    const input = { name: "n", plan: "vps-micro-1", region: "eu", image: "debian-12" };
    const failure = await errorOf(client.vps.create(input), UnreadableResponseError);
    expect(failure).toMatchObject({
      outcome: "ambiguous",
      requestId: "req_1",
      resourceId: "vps_1",
      issues: [
        { path: "data.specs.vcpus", expected: "integer", received: "string" },
        { path: "data.specs.ram_mb", expected: "a value", received: "nothing" },
        { path: "data.specs.disk_gb", expected: "a value", received: "nothing" },
      ],
    });
  });

  it.each([
    '{"status":"success","data":{"id":"vps_1","na',
    `{"data":{"id":"vps_1","x":${"[".repeat(100_000)}`,
  ])("keeps the new id that an unreadable response shows", async (body) => {
    const { client } = scripted([{ status: 201, body }]);
    const input = { name: "n", plan: "vps-micro-1", region: "eu", image: "debian-12" };
    const failure = await errorOf(client.vps.create(input), UnreadableResponseError);
    expect(failure).toMatchObject({ outcome: "ambiguous", resourceId: "vps_1" });
  });

  it("keeps unknown statuses and members", async () => {
    const { client } = scripted([{ data: { ...wireServer, status: "hibernating", gpu_count: 2 } }]);
    expect(await client.vps.get("vps_1")).toMatchObject({ id: "vps_1", status: "hibernating", gpuCount: 2 });
  });

  it.each(["slug", "clicks_count", "created_at"])("fails when the response lacks %s", async (name) => {
    const { client } = scripted([{ status: 201, data: { ...wireLink, [name]: null } }]);
    const failure = await errorOf(
      client.links.create({ url: "https://example.com" }),
      UnreadableResponseError,
    );
    expect(failure).toMatchObject({
      resourceId: "link_1",
      issues: [{ path: `data.${name}`, expected: "a value", received: "null" }],
    });
  });

  it("accepts a response without documented members with partialResponses, but not without an id", async () => {
    const responses = [{ data: { id: "link_1", slug: null } }, { data: { slug: "a" } }];
    const { client } = scripted(responses, { partialResponses: true });
    expect(await client.links.get("link_1")).toEqual({ id: "link_1" });
    const failure = await errorOf(client.links.get("link_1"), UnreadableResponseError);
    expect(failure.issues).toEqual([{ path: "data.id", expected: "a value", received: "nothing" }]);
  });

  it("accepts list items that show only their id", async () => {
    const { client } = scripted([{ data: [{ id: "db_1" }] }, { data: [{ name: "main" }] }]);
    expect(await client.databases.list().toArray()).toEqual([{ id: "db_1" }]);
    await errorOf(client.databases.list().toArray(), UnreadableResponseError);
  });
});

describe("a delete", () => {
  it("succeeds when the first response is lost and the second is a 404", async () => {
    const { client, sent } = scripted([
      { status: 502, data: error("X") },
      { status: 404, data: error("RESOURCE_NOT_FOUND") },
    ]);
    await expect(client.links.delete("link_1")).resolves.toBeUndefined();
    expect(sent).toHaveLength(2);
  });

  it("fails with a 404 when the resource never existed", async () => {
    const { client } = scripted([{ status: 404, data: error("RESOURCE_NOT_FOUND") }]);
    const failure = await errorOf(client.links.delete("link_1"), NotFoundError);
    expect(failure.isProvenAbsent).toBe(true);
  });

  it("accepts a response without a body", async () => {
    const { client } = scripted([{ status: 204, body: "" }]);
    await expect(client.webhooks.delete("wh_1")).resolves.toBeUndefined();
  });
});

describe("a response that the specification does not show", () => {
  it.each([
    "",
    JSON.stringify({ status: "success", data: null, meta: {} }),
    JSON.stringify({ status: "success", data: [] }),
  ])("may have the body %j", async (body) => {
    const { client } = scripted([{ body }, { body }, { body }, { body }]);
    const schedule = { frequency: "daily", hourUtc: 3, retentionDays: 7 };
    expect(await client.databases.setBackupSchedule("db_1", schedule)).toEqual({});
    expect(
      await client.webhooks.create({
        url: "https://x.example",
        events: ["vps.snapshot.completed"],
        secret: "s",
      }),
    ).toEqual({});
    expect(await client.vps.reboot("vps_1")).toEqual({});
    expect(await client.utils.relay({ targetUrl: "https://x.example", payload: { a_b: 1 } })).toEqual({});
  });
});

describe("a QR code", () => {
  it("returns the text of the image and sends the API key", async () => {
    const { client, sent } = scripted([{ body: "<svg></svg>" }]);
    expect(await client.links.qrSvg("link_1", { color: "ff0000", size: 200 })).toBe("<svg></svg>");
    expect(sent[0]).toMatchObject({ path: "/v1/shortener/links/link_1/qr.svg?color=ff0000&size=200" });
    expect(sent[0]?.headers).toMatchObject({ authorization: "Bearer sk_live_1", accept: "image/svg+xml" });
  });

  it("fails when the response is not an image", async () => {
    const { client } = scripted([{ body: "<html>login</html>" }]);
    await errorOf(client.links.qrSvg("link_1"), UnreadableResponseError);
  });
});

describe("a list", () => {
  it("sends limit and starting_after, and reads next_cursor", async () => {
    const { client, sent } = scripted([{ data: [{ id: "link_1" }] }]);
    await client.links.list({ limit: 50, startingAfter: "link_0" });
    expect(sent[0]?.path).toBe("/v1/shortener/links?limit=50&starting_after=link_0");
  });
});

describe("api: documented", () => {
  it("refuses calls that the specification does not show", async () => {
    const { client, sent } = scripted([{ data: [] }], { api: "documented" });
    await errorOf(client.links.get("link_1"), UndocumentedCallError);
    await errorOf(client.databases.list().toArray(), UndocumentedCallError);
    expect(sent).toEqual([]);
    await client.links.list();
    expect(sent).toHaveLength(1);
  });
});
