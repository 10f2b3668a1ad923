import { expect, test } from "vitest";
import { apiClientFor, sandboxFor } from "../../test/api-client.js";
import { bodyForJournal, Journal, type JournalEntry, queryForJournal } from "./journal.js";

const entryOf = (n: number, body: unknown = {}): JournalEntry => ({
  requestId: `req_${n}`,
  time: "2030-01-01T00:00:00.000Z",
  method: n % 2 === 0 ? "GET" : "POST",
  path: `/links/${n}`,
  query: {},
  tenant: `t${n % 2}`,
  durationMs: 0,
  requestBody: bodyForJournal(body),
});

test("the last 10,000 requests are kept, as they were, and listed by what is asked for", () => {
  const journal = new Journal();
  for (let n = 1; n <= 10_001; n++) journal.add(entryOf(n, { n, passcode: "p" }));
  const all = journal.list();
  expect(all).toHaveLength(10_000);
  expect(all[0]).toEqual(entryOf(2, { n: 2, passcode: "p" }));
  expect(journal.list({ tenant: "t1", method: "POST", path: "/links/1000" })).toEqual([
    entryOf(10_001, { n: 10_001, passcode: "p" }),
  ]);
  expect(journal.list({ tenant: "t0", limit: 2 }).map(({ path }) => path)).toEqual([
    "/links/9998",
    "/links/10000",
  ]);
  expect(journal.list({ limit: 0 })).toEqual([]);
  journal.clear("t0");
  expect(journal.list()).toHaveLength(5_000);
  journal.clear();
  expect(journal.list()).toEqual([]);
});

test.each([
  ["long texts", { text: "x".repeat(8_000) }],
  ["many small things, which take twenty times their text", { a: Array.from({ length: 2_700 }, () => ({})) }],
])("of %s the oldest requests go before the journal takes too much memory", (_what, body) => {
  const journal = new Journal();
  const large = entryOf(1, body);
  for (let n = 1; n < 5_000; n++) journal.add(large);
  journal.add(entryOf(10_000, body));
  const all = journal.list();
  expect(all.at(-1)).toEqual(entryOf(10_000, body));
  expect(all.length).toBeLessThan(5_000);
  journal.clear();
  for (let n = 1; n <= 10_000; n++) journal.add(entryOf(n));
  expect(journal.list()).toHaveLength(10_000);
});

test("what is listed is the caller's own", () => {
  const journal = new Journal();
  journal.add(entryOf(1));
  Object.assign(journal.list()[0] ?? {}, { method: "PUT" });
  expect(journal.list()).toEqual([entryOf(1)]);
});

test("whatever is named like a secret is masked, wherever it stands", () => {
  const names = [
    "passcode",
    "X-Api-Key",
    "api_key",
    "apiKey",
    "Cookie",
    "Set-Cookie",
    "Authorization",
    "Proxy-Authorization",
    "X-Auth-Token",
    "token",
    "accessToken",
    "client_secret",
    "dbPassword",
    "webhook-signature",
    "private_key",
    "connection_uri",
    "user_data",
  ];
  for (const name of names) {
    expect(bodyForJournal({ deep: [{ [name]: "x" }] })).toEqual({ deep: [{ [name]: "[secret]" }] });
    expect(queryForJournal(new URLSearchParams([[name, "x"]]))).toEqual({ [name]: "[secret]" });
  }
  const plain = { title: "x", ssh_keys: ["x"], next_cursor: "x", max_tokens: 1, secret: null, key: "x" };
  expect(bodyForJournal(plain)).toEqual(plain);
});

test("what the relay forwards is kept without its secrets", async () => {
  const sandbox = await sandboxFor();
  await apiClientFor(sandbox)("POST", "/utils/webhooks/relay", {
    target_url: "http://127.0.0.1:1/",
    payload: { token: "s3cret", n: 1 },
    headers: { "X-Api-Key": "s3cret", Cookie: "sid=s3cret", "X-Source": "relay" },
  });
  expect(JSON.stringify(sandbox.journal())).not.toContain("s3cret");
  expect(sandbox.journal()).toMatchObject([
    { requestBody: { payload: { n: 1 }, headers: { "X-Source": "relay" } } },
  ]);
});
