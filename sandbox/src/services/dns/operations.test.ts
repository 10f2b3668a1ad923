import { expect, test } from "vitest";
import { z } from "zod";
import { apiClientFor, sandboxFor } from "../../../test/api-client.js";
import { nameServerFor, records } from "../../../test/name-server.js";
import { startSandbox } from "../../index.js";

test("names are looked up in the tenant's own zone, through aliases", async () => {
  const sandbox = await sandboxFor();
  sandbox.setZone([
    { name: "Example.com.", type: "A", data: "192.0.2.7", ttl: 60 },
    { name: "example.com", type: "MX", data: "10 mx.example.com" },
    { name: "www.example.com", type: "CNAME", data: "example.com" },
    { name: "loop.example.com", type: "CNAME", data: "loop.example.com" },
  ]);
  const look = async (query: string, key?: string) =>
    (await apiClientFor(sandbox, key)("GET", `/utils/dns?${query}`)).data;
  expect(await look("name=www.EXAMPLE.com&type=a")).toEqual({
    question: { name: "www.example.com", type: "A" },
    answers: [
      { name: "www.example.com", type: "CNAME", TTL: 300, data: "example.com" },
      { name: "example.com", type: "A", TTL: 60, data: "192.0.2.7" },
    ],
  });
  expect(await look("name=example.com&type=AAAA")).toMatchObject({ answers: [] });
  expect(await look("name=example.com", "sandbox_other")).toMatchObject({ answers: [] });
  expect(Object(await look("name=loop.example.com")).answers.length).toBeLessThan(10);
});

test.each([
  ["name", "type=A"],
  ["name", "name=a..b"],
  ["type", "name=example.com&type=ANY"],
])("a wrong %s is refused", async (field, query) => {
  const reply = await apiClientFor(await sandboxFor())("GET", `/utils/dns?${query}`);
  expect(reply).toMatchObject({ status: 400, error: { field } });
});

test("where the sandbox may go off this machine, name servers know what the tenant's zone does not", async () => {
  const server = await nameServerFor(({ name, type }) =>
    type === "A" && name === "elsewhere.example"
      ? records([{ type: "A", name, ttl: 42, data: "192.0.2.9" }])
      : records([], 3),
  );
  const sandbox = await sandboxFor({ allowOutbound: true, nameServers: [server.address] });
  sandbox.setZone([
    { name: "own.example", type: "TXT", data: "mine" },
    { name: "alias.example", type: "CNAME", data: "elsewhere.example" },
  ]);
  const look = async (query: string) => (await apiClientFor(sandbox)("GET", `/utils/dns?${query}`)).data;
  const elsewhere = { name: "elsewhere.example", type: "A", TTL: 42, data: "192.0.2.9" };
  expect(await look("name=Elsewhere.example.")).toEqual({
    question: { name: "elsewhere.example", type: "A" },
    answers: [elsewhere],
  });
  expect(await look("name=alias.example")).toMatchObject({
    answers: [{ name: "alias.example", type: "CNAME" }, elsewhere],
  });
  expect(await look("name=nowhere.example")).toMatchObject({ answers: [] });
  expect(server.asked).toEqual(["elsewhere.example A", "elsewhere.example A", "nowhere.example A"]);
  // A name of the zone has what the zone says and nothing else.
  expect(await look("name=own.example&type=TXT")).toMatchObject({ answers: [{ data: "mine" }] });
  expect(await look("name=own.example")).toMatchObject({ answers: [] });
  expect(await look("name=alias.example&type=CNAME")).toMatchObject({ answers: [{ type: "CNAME" }] });
  expect(server.asked).toHaveLength(3);
});

test("name servers that fail are an error that says to try again, not an empty answer", async () => {
  const server = await nameServerFor(() => records([], 2));
  const sandbox = await sandboxFor({ allowOutbound: true, nameServers: [server.address] });
  expect(await apiClientFor(sandbox)("GET", "/utils/dns?name=example.com")).toMatchObject({
    status: 500,
    error: { code: "INTERNAL_ERROR", message: expect.stringContaining("SERVFAIL") },
  });
});

test("no mail makes the sandbox ask a name server", async () => {
  const server = await nameServerFor(() => records([], 3));
  const sandbox = await sandboxFor({ allowOutbound: true, nameServers: [server.address] });
  const inbox = z.object({ email_address: z.string() });
  const made = inbox.parse((await apiClientFor(sandbox)("POST", "/tempmail/inboxes")).data);
  expect(await sandbox.sendMail({ to: made.email_address, from: "a@example.com", text: "hello" })).toBe(1);
  expect(server.asked).toEqual([]);
});

test("name servers are refused where the sandbox may not go off this machine, and so is what is none", async () => {
  await expect(startSandbox({ nameServers: ["127.0.0.1:1"] })).rejects.toThrow(/--allow-outbound/);
  await expect(startSandbox({ allowOutbound: true, nameServers: ["dns.example"] })).rejects.toThrow(
    /IP address/,
  );
});
