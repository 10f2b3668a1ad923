import { expect, test } from "vitest";
import { aDatabase, apiClientFor, aServer, aWebhook, parseReply, sandboxFor } from "../../test/api-client.js";
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

/** Nothing can be sent to such an address, and it would be shown with every attempt. */
const secretive = "https://user:hush@127.0.0.1/";

const wrong: ReadonlyArray<
  readonly [what: string, method: string, path: string, body: unknown, field: string]
> = [
  ["an unknown field", "POST", "/shortener/links", { url: "https://a.example", colour: "red" }, "colour"],
  ["an address that is none", "POST", "/shortener/links", { url: "example" }, "url"],
  ["a script as a target", "POST", "/shortener/links", { url: "javascript:alert(1)" }, "url"],
  ["a number for a string", "POST", "/shortener/links", { url: "https://a.example", title: 1 }, "title"],
  [
    "null where it clears nothing",
    "POST",
    "/shortener/links",
    { url: "https://a.example", title: null },
    "title",
  ],
  ["a slug with a slash", "POST", "/shortener/links", { url: "https://a.example", slug: "a/b" }, "slug"],
  [
    "a time that is none",
    "POST",
    "/shortener/links",
    { url: "https://a.example", expires_at: "soon" },
    "expires_at",
  ],
  ["an unknown engine", "POST", "/databases", { ...aDatabase, engine: "oracle" }, "engine"],
  ["an unknown version", "POST", "/databases", { ...aDatabase, version: "14" }, "version"],
  ["another engine's version", "POST", "/databases", { ...aDatabase, engine: "mysql" }, "version"],
  ["an unknown plan", "POST", "/databases", { ...aDatabase, plan: "db-huge" }, "plan"],
  ["an unknown region", "POST", "/databases", { ...aDatabase, region: "moon" }, "region"],
  ["a missing name", "POST", "/databases", { ...aDatabase, name: undefined }, "name"],
  [
    "a pool for mysql",
    "POST",
    "/databases",
    { ...aDatabase, engine: "mysql", version: "8.4", enable_connection_pool: true },
    "enable_connection_pool",
  ],
  ["a network that is none", "POST", "/databases", { ...aDatabase, vpc_id: "net-1" }, "vpc_id"],
  ["an unknown image", "POST", "/vps/instances", { ...aServer, image: "beos" }, "image"],
  [
    "a key that is none",
    "POST",
    "/vps/instances",
    { ...aServer, ssh_keys: ["ssh_key_1", "mine"] },
    "ssh_keys.1",
  ],
  ["a lifetime of nothing", "POST", "/tempmail/inboxes", { ttl_minutes: 0 }, "ttl_minutes"],
  ["a lifetime over a day", "POST", "/tempmail/inboxes", { ttl_minutes: 1441 }, "ttl_minutes"],
  ["a lifetime of a fraction", "POST", "/tempmail/inboxes", { ttl_minutes: 1.5 }, "ttl_minutes"],
  ["a domain that is not offered", "POST", "/tempmail/inboxes", { domain: "gmail.com" }, "domain"],
  ["an unknown event", "POST", "/webhooks", { ...aWebhook, events: ["link.clicked"] }, "events.0"],
  ["no event", "POST", "/webhooks", { ...aWebhook, events: [] }, "events"],
  [
    "an event twice",
    "POST",
    "/webhooks",
    { ...aWebhook, events: ["vps.snapshot.completed", "vps.snapshot.completed"] },
    "events",
  ],
  ["a webhook without TLS", "POST", "/webhooks", { ...aWebhook, url: "http://example.com" }, "url"],
  [
    "a name that only begins like this machine",
    "POST",
    "/webhooks",
    { ...aWebhook, url: "http://127.0.0.1.example.com" },
    "url",
  ],
  ["a password in a webhook's address", "POST", "/webhooks", { ...aWebhook, url: secretive }, "url"],
  ["a user in a webhook's address", "POST", "/webhooks", { ...aWebhook, url: "https://u@a.example" }, "url"],
  [
    "a password in an inbox's address",
    "POST",
    "/tempmail/inboxes",
    { webhook_url: secretive },
    "webhook_url",
  ],
  [
    "a password in a relay's address",
    "POST",
    "/utils/webhooks/relay",
    { target_url: secretive, payload: {} },
    "target_url",
  ],
  ["a secret that is no base64", "POST", "/webhooks", { ...aWebhook, secret: "whsec_!!" }, "secret"],
  ["a secret of nothing", "POST", "/webhooks", { ...aWebhook, secret: "whsec_" }, "secret"],
  ["a secret cut short", "POST", "/webhooks", { ...aWebhook, secret: "whsec_c2VjcmV" }, "secret"],
  ["a limit of nothing", "GET", "/databases?limit=0", undefined, "limit"],
  ["a limit over 100", "GET", "/databases?limit=101", undefined, "limit"],
  ["a limit that is no number", "GET", "/databases?limit=ten", undefined, "limit"],
  ["an unknown parameter", "GET", "/databases?page=2", undefined, "page"],
  ["a parameter named as no object's own", "GET", "/databases?__proto__=1", undefined, "__proto__"],
  ["a parameter twice", "GET", "/databases?limit=1&limit=2", undefined, "limit"],
  ["a cursor of another kind", "GET", "/databases?starting_after=link_1", undefined, "starting_after"],
];

test.each(wrong)("%s is a 400 that names the field", async (_what, method, path, body, field) => {
  const reply = await apiClientFor(await sandboxFor())(method, path, body);
  expect(reply).toMatchObject({ status: 400, error: { code: "VALIDATION_ERROR", field } });
  expect(reply.text).not.toContain("hush");
});

test("bodies that are not JSON in JSON's name are refused", async () => {
  const sandbox = await sandboxFor();
  const post = async (contentType: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = { authorization: `Bearer ${sandbox.apiKey}`, "content-type": contentType };
    return parseReply(await fetch(`${sandbox.baseUrl}/tempmail/inboxes`, { method: "POST", headers, body }));
  };
  expect((await post("text/plain", "{}")).status).toBe(400);
  expect((await post("application/json", "{")).status).toBe(400);
  expect((await post("application/json", "[]")).status).toBe(400);
  expect((await post("application/json", "null")).status).toBe(400);
  expect((await post("application/json", new Uint8Array([0x22, 0xff, 0x22]))).status).toBe(400);
  expect((await post("application/json", `{"prefix":"${"a".repeat(1_100_000)}"}`)).error?.message).toMatch(
    /larger/,
  );
  const nested = (depth: number) => `{"prefix":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
  expect((await post("application/json", nested(100_000))).error?.message).toMatch(/nested deeper/);
  expect((await post("application/json", nested(100))).error?.field).toBe("prefix");
  expect((await post('application/json; charset="utf-8"', "{}")).status).toBe(201);
});

test("a missing or malformed key is a 401, before anything else is looked at", async () => {
  const sandbox = await sandboxFor();
  for (const key of ["", "live_1", "sandbox_", "sandbox_a.admin"]) {
    expect(await apiClientFor(sandbox, key)("GET", "/nowhere")).toMatchObject({
      status: 401,
      error: { code: "UNAUTHORIZED" },
    });
  }
  expect((await fetch(`${sandbox.baseUrl}/databases`)).status).toBe(401);
});

test("a read-only key reads its tenant and changes nothing", async () => {
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

test("a path that is no endpoint is not a missing resource", async () => {
  const call = apiClientFor(await sandboxFor());
  expect(await call("GET", "/nowhere")).toMatchObject({ status: 404, error: { code: "ROUTE_NOT_FOUND" } });
  const refused = await call("PUT", "/databases");
  expect(refused).toMatchObject({ status: 405, error: { code: "METHOD_NOT_ALLOWED" } });
  expect(refused.headers.get("allow")).toBe("POST, GET");
});

const kinds: ReadonlyArray<readonly [path: string, body: object]> = [
  ["/shortener/links", { url: "https://example.com" }],
  ["/databases", aDatabase],
  ["/vps/instances", aServer],
  ["/tempmail/inboxes", {}],
  ["/webhooks", aWebhook],
];

test.each(kinds)("%s: another tenant finds nothing, by any operation", async (path, body) => {
  const sandbox = await sandboxFor();
  const { id } = await apiClientFor(sandbox)("POST", path, body);
  const stranger = apiClientFor(sandbox, "sandbox_stranger");
  const item = `${path.slice(1)}/`;
  const onOne = operationsOf("conventional").filter((each) => each.path.startsWith(`/${item}:`));
  expect(onOne.length).toBeGreaterThan(1);
  const bodies: Readonly<Record<string, unknown>> = {
    putBackupSchedule: { frequency: "daily", hour_utc: 3, retention_days: 7 },
    actOnVps: { action: "stop" },
    updateLink: {},
    updateDatabase: {},
    updateVps: {},
    updateWebhook: {},
  };
  for (const operation of onOne) {
    const reply = await stranger(operation.method, operation.path.replace(/:\w+/, id), bodies[operation.id]);
    expect(reply, operation.id).toMatchObject({ status: 404, error: { code: "RESOURCE_NOT_FOUND" } });
  }
  expect(await stranger("GET", path)).toMatchObject({ data: [], meta: { total_count: 0 } });
});

test.each(kinds)(
  "%s: pages have no gap and no repetition, also where items vanish meanwhile",
  async (path, body) => {
    const call = apiClientFor(await sandboxFor({ summaryLists: true }));
    const ids: string[] = [];
    for (let made = 0; made < 7; made++) ids.push((await call("POST", path, body)).id);
    const first = await call("GET", `${path}?limit=3`);
    expect(first.data).toEqual(ids.slice(0, 3).map((id) => expect.objectContaining(idOf(path, id))));
    expect(first.meta).toMatchObject({ has_more: true, next_cursor: ids[2], total_count: 7 });
    await call("DELETE", `${path}/${ids[2]}`);
    const rest = await call("GET", `${path}?limit=100&starting_after=${ids[2]}`);
    expect(rest.data).toEqual(ids.slice(3).map((id) => expect.objectContaining(idOf(path, id))));
    expect(rest.meta).toMatchObject({ has_more: false, next_cursor: null, total_count: 6 });
  },
);

function idOf(path: string, id: string): object {
  return path === "/tempmail/inboxes" ? { inbox_id: id } : { id };
}

test("twenty items are a page when nobody says otherwise", async () => {
  const call = apiClientFor(await sandboxFor());
  for (let made = 0; made < 21; made++) await call("POST", "/webhooks", aWebhook);
  const page = await call("GET", "/webhooks");
  expect(page.data).toHaveLength(20);
  expect(page.meta).toMatchObject({ has_more: true, total_count: 21 });
});

test("the documented profile has the documented endpoints and no other", () => {
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

test("a rate limit answers 429 with the seconds to wait, for each tenant alone", async () => {
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
