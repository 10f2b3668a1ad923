import { expect, test } from "vitest";
import { aDatabase, apiClientFor, aServer, aWebhook, parseReply, sandboxFor } from "../../test/api-client.js";

/** Calls cannot send user and password, and lists of attempts would show them. */
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

test("a body that is not a JSON object in UTF-8 is a 400", async () => {
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
