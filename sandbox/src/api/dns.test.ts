import { expect, test } from "vitest";
import { callerFor, sandboxFor } from "../../test/caller.js";

test("names are looked up in the tenant's own zone, through aliases", async () => {
  const sandbox = await sandboxFor();
  sandbox.setZone([
    { name: "Example.com.", type: "A", data: "192.0.2.7", ttl: 60 },
    { name: "example.com", type: "MX", data: "10 mx.example.com" },
    { name: "www.example.com", type: "CNAME", data: "example.com" },
    { name: "loop.example.com", type: "CNAME", data: "loop.example.com" },
  ]);
  const look = async (query: string, key?: string) =>
    (await callerFor(sandbox, key)("GET", `/utils/dns?${query}`)).data;
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
  const reply = await callerFor(await sandboxFor())("GET", `/utils/dns?${query}`);
  expect(reply).toMatchObject({ status: 400, error: { field } });
});
