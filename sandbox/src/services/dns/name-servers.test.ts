import { expect, test } from "vitest";
import { collectGarbage } from "../../../test/garbage-collector.js";
import { nameServerFor, type Respond, records, type TestNameServer } from "../../../test/name-server.js";
import { NameServerError, NameServers, parseNameServer } from "./name-servers.js";

/** Long enough for any machine, where an answer comes; and short, where none does. */
const patient = { tryMs: 10_000, totalMs: 20_000 };
const brief = { tryMs: 500, totalMs: 10_000 };
const never = new AbortController().signal;

function asking(servers: TestNameServer[], patience = patient, closing = never): NameServers {
  const addresses = servers.flatMap(({ address }) => parseNameServer(address) ?? []);
  return new NameServers(addresses, closing, patience);
}

const good: Respond = ({ name }) => records([{ type: "A", name, ttl: 77, data: "192.0.2.1" }]);

test("records keep their TTLs and aliases", async () => {
  const server = await nameServerFor(() =>
    records([
      { type: "CNAME", name: "WWW.example.com", ttl: 60, data: "example.com" },
      { type: "A", name: "example.com", ttl: 77, data: "192.0.2.1" },
    ]),
  );
  expect(await asking([server]).query("www.example.com", "A")).toEqual([
    { name: "www.example.com", type: "CNAME", ttl: 60, data: "example.com" },
    { name: "example.com", type: "A", ttl: 77, data: "192.0.2.1" },
  ]);
});

test.each([
  ["AAAA", { type: "AAAA", data: "2001:db8::1" }, "2001:db8::1"],
  ["MX", { type: "MX", data: { preference: 10, exchange: "mx.example.com" } }, "10 mx.example.com"],
  ["MX", { type: "MX", data: { preference: 0, exchange: "" } }, "0 ."],
  ["TXT", { type: "TXT", data: ["v=spf1 ", "-all"] }, "v=spf1 -all"],
  ["NS", { type: "NS", data: "ns.example.com" }, "ns.example.com"],
  ["PTR", { type: "PTR", data: "host.example.com" }, "host.example.com"],
  ["CAA", { type: "CAA", data: { flags: 0, tag: "issue", value: "ca.example" } }, '0 issue "ca.example"'],
  [
    "SRV",
    { type: "SRV", data: { priority: 1, weight: 2, port: 443, target: "a.example" } },
    "1 2 443 a.example",
  ],
  [
    "SOA",
    {
      type: "SOA",
      data: { mname: "ns.a", rname: "me.a", serial: 1, refresh: 2, retry: 3, expire: 4, minimum: 5 },
    },
    "ns.a me.a 1 2 3 4 5",
  ],
] as const)("%s records have the form of a zone file", async (type, answer, data) => {
  const server = await nameServerFor(() => records([{ name: "example.com", ttl: 5, ...Object(answer) }]));
  expect(await asking([server]).query("example.com", type)).toEqual([
    { name: "example.com", type, ttl: 5, data },
  ]);
});

test("a truncated response is requested again over TCP", async () => {
  const text = "x".repeat(200);
  const server = await nameServerFor(({ name }) =>
    records(Array.from({ length: 9 }, () => ({ type: "TXT" as const, name, ttl: 1, data: text }))),
  );
  const found = await asking([server]).query("example.com", "TXT");
  expect(found.map(({ data }) => data)).toEqual(Array(9).fill(text));
  expect(server.asked).toEqual(["example.com TXT", "example.com TXT"]);
});

test("an unknown name and a name without such records have no records", async () => {
  expect(await asking([await nameServerFor(() => records([], 3))]).query("no.example", "A")).toEqual([]);
  expect(await asking([await nameServerFor(() => records([]))]).query("example.com", "AAAA")).toEqual([]);
});

test("the next server is queried if one fails, is silent or sends nonsense", async () => {
  const failing = await nameServerFor(() => records([], 2));
  const silent = await nameServerFor(() => undefined);
  const nonsense = await nameServerFor(() => Buffer.from("nonsense"));
  const working = await nameServerFor(good);
  const found = await asking([failing, silent, nonsense, working], { ...patient, tryMs: 3_000 }).query(
    "example.com",
    "A",
  );
  expect(found).toEqual([{ name: "example.com", type: "A", ttl: 77, data: "192.0.2.1" }]);
});

test.each<[string, Respond, RegExp, typeof patient]>([
  ["SERVFAIL", () => records([], 2), /responded SERVFAIL/, patient],
  ["REFUSED", () => records([], 5), /responded REFUSED/, patient],
  ["silence", () => undefined, /did not respond in time/, brief],
  ["nonsense", () => Buffer.from("nonsense"), /unreadable response/, patient],
  [
    "an answer to another question",
    () => ({ ...records([]), questions: [] }),
    /did not respond in time/,
    brief,
  ],
])("nothing but %s is an error that says so", async (_what, respond, why, patience) => {
  const asked = asking([await nameServerFor(respond)], patience).query("example.com", "A");
  await expect(asked).rejects.toThrow(NameServerError);
  await expect(asked).rejects.toThrow(why);
});

test("a query to a silent server times out, even after a garbage collection", async () => {
  collectGarbage();
  const asked = asking([await nameServerFor(() => undefined)], brief).query("example.com", "A");
  await expect(asked).rejects.toThrow(/did not respond in time/);
});

test("closing ends a query at once", async () => {
  const silent = await nameServerFor(() => undefined);
  const closing = new AbortController();
  const asked = asking([silent], patient, closing.signal).query("example.com", "A");
  closing.abort();
  await expect(asked).rejects.toThrow(NameServerError);
});

test("a query without any server fails", async () => {
  await expect(asking([]).query("example.com", "A")).rejects.toThrow(/no name server/);
});

test("addresses of name servers may have a port", () => {
  expect(parseNameServer("192.0.2.1")).toEqual({ host: "192.0.2.1", port: 53 });
  expect(parseNameServer("2001:db8::1")).toEqual({ host: "2001:db8::1", port: 53 });
  expect(parseNameServer("[2001:db8::1]:5353")).toEqual({ host: "2001:db8::1", port: 5353 });
  for (const wrong of ["dns.example", "192.0.2.1:0", "192.0.2.1:99999", "[192.0.2]:53", ""])
    expect(parseNameServer(wrong)).toBeUndefined();
});
