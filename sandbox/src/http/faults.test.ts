import { expect, test } from "vitest";
import { aDatabase, apiClientFor, eventually, sandboxFor } from "../../test/api-client.js";
import { type Sandbox, startSandbox } from "../sandbox.js";
import { type Fault, Faults } from "./faults.js";

const DATABASE = { provisioning: { databaseMs: 0 } };

async function struck(fault: Fault) {
  const sandbox = await sandboxFor(DATABASE);
  sandbox.faults.add({ ...fault, method: "POST", route: "/databases", count: 1 });
  const call = apiClientFor(sandbox);
  const outcome = await call("POST", "/databases", aDatabase).catch((error: unknown) => error);
  return { sandbox, call, outcome, made: sandbox.resources().length };
}

test("an error before the commit: nothing took place", async () => {
  const { outcome, made, call } = await struck({
    kind: "status",
    status: 503,
    when: "before",
    retryAfter: 2,
  });
  expect(outcome).toMatchObject({ status: 503, error: { code: "INTERNAL_ERROR" } });
  expect(made).toBe(0);
  expect((await call("POST", "/databases", aDatabase)).status).toBe(201);
});

test("an error after the commit: it took place", async () => {
  const { outcome, made } = await struck({ kind: "status", status: 500, when: "after", code: "ODD" });
  expect(outcome).toMatchObject({ status: 500, error: { code: "ODD" } });
  expect(made).toBe(1);
});

test.each([
  ["before", 0],
  ["after", 1],
] as const)("a connection dropped %s the commit", async (when, expected) => {
  const { outcome, made, sandbox } = await struck({ kind: "drop", when });
  expect(outcome).toBeInstanceOf(TypeError);
  expect(made).toBe(expected);
  expect(sandbox.journal()[0]).toMatchObject({ fault: "drop", operation: "createDatabase" });
  expect(sandbox.journal()[0]).not.toHaveProperty("status");
});

test("a body cut in half after the commit", async () => {
  const { outcome, made } = await struck({ kind: "cut" });
  expect(outcome).toBeInstanceOf(TypeError);
  expect(made).toBe(1);
});

test.each([
  ["before", 0],
  ["after", 1],
] as const)("a page instead of JSON, %s the commit", async (when, expected) => {
  const { outcome, made } = await struck({ kind: "html", status: 502, when });
  expect(outcome).toMatchObject({ status: 502, text: expect.stringContaining("<!doctype html>") });
  expect(made).toBe(expected);
});

test("429 has Retry-After if the fault sets it", async () => {
  const limited = await struck({ kind: "rateLimit", retryAfter: 3 });
  expect(limited.outcome).toMatchObject({ status: 429, error: { code: "RATE_LIMITED" } });
  expect(Object(limited.outcome).headers.get("retry-after")).toBe("3");
  expect(limited.made).toBe(0);
  expect(Object((await struck({ kind: "rateLimit" })).outcome).headers.has("retry-after")).toBe(false);
});

function create(sandbox: Sandbox, signal: AbortSignal): Promise<Response> {
  const headers = { authorization: `Bearer ${sandbox.apiKey}`, "content-type": "application/json" };
  return fetch(`${sandbox.baseUrl}/databases`, {
    method: "POST",
    headers,
    body: JSON.stringify(aDatabase),
    signal,
  });
}

test("slowness after the commit: the caller gives up on what has taken place", async () => {
  const sandbox = await sandboxFor(DATABASE);
  sandbox.faults.add({ kind: "slow", ms: 3_600_000, when: "after" });
  const leaving = new AbortController();
  const request = expect(create(sandbox, leaving.signal)).rejects.toThrow("abort");
  await eventually(() => sandbox.resources().length).toBe(1);
  leaving.abort();
  await request;
  expect(sandbox.resources()).toHaveLength(1);
});

test("slowness before the commit: the operation still runs after the client disconnects", async () => {
  const sandbox = await sandboxFor(DATABASE);
  sandbox.faults.add({ kind: "slow", ms: 3_000, when: "before", count: 1 });
  const leaving = new AbortController();
  const request = expect(create(sandbox, leaving.signal)).rejects.toThrow("abort");
  await eventually(() => sandbox.faults.list()[0]?.struck).toBe(1);
  leaving.abort();
  await request;
  await eventually(() => sandbox.resources().length).toBe(1);
});

test("a sandbox that closes waits for no slow answer", async () => {
  const sandbox = await startSandbox(DATABASE);
  sandbox.faults.add({ kind: "slow", ms: 3_600_000, when: "before" });
  const request = create(sandbox, AbortSignal.timeout(60_000));
  request.catch(() => {});
  await eventually(() => sandbox.faults.list()[0]?.struck).toBe(1);
  await sandbox.close();
  await expect(request).rejects.toThrow();
  expect(sandbox.resources()).toEqual([]);
});

test("a stale read answers as before the last write, by id and in the list, and heals", async () => {
  const sandbox = await sandboxFor(DATABASE);
  const call = apiClientFor(sandbox);
  const { id } = await call("POST", "/webhooks", {
    url: "https://a.example/",
    events: ["vps.snapshot.completed"],
    secret: "s",
  });
  sandbox.faults.add({ kind: "stale", count: 2 });
  expect((await call("GET", `/webhooks/${id}`)).error?.code).toBe("RESOURCE_NOT_FOUND");
  expect((await call("GET", "/webhooks")).data).toEqual([]);
  expect((await call("GET", `/webhooks/${id}`)).status).toBe(200);
  await call("PATCH", `/webhooks/${id}`, { url: "https://b.example/" });
  sandbox.faults.add({ kind: "stale", count: 1 });
  expect((await call("GET", `/webhooks/${id}`)).data).toMatchObject({ url: "https://a.example/" });
  expect((await call("GET", `/webhooks/${id}`)).data).toMatchObject({ url: "https://b.example/" });
});

const request = (path: string, method = "GET", tenant = "a") => ({ path, method, tenant });

test("a fault strikes the route, the method and the tenant that it names", () => {
  const faults = new Faults();
  faults.add({ kind: "cut", route: "/databases/:id", method: "GET", tenant: "a" });
  expect(faults.strike(request("/databases/db_1"))?.kind).toBe("cut");
  expect(faults.strike(request("/databases"))).toBeUndefined();
  expect(faults.strike(request("/databases/db_1/backup-schedule"))).toBeUndefined();
  expect(faults.strike(request("/databases/db_1", "PATCH"))).toBeUndefined();
  expect(faults.strike(request("/databases/db_1", "GET", "b"))).toBeUndefined();
  faults.clear();
  faults.add({ kind: "cut", route: "/databases*" });
  expect(faults.strike(request("/databases/db_1/backup-schedule"))?.kind).toBe("cut");
});

test("skip and count bound when a fault strikes", () => {
  const faults = new Faults();
  const id = faults.add({ kind: "cut", skip: 2, count: 1 });
  const strikes = Array.from({ length: 5 }, () => faults.strike(request("/x")) !== undefined);
  expect(strikes).toEqual([false, false, true, false, false]);
  expect(faults.list()).toMatchObject([{ id, struck: 1 }]);
});

test("the same seed strikes the same requests, at about the wanted share", () => {
  const pattern = (seed: number) => {
    const faults = new Faults();
    faults.add({ kind: "cut", probability: 0.3, seed });
    return Array.from({ length: 1000 }, () => faults.strike(request("/x")) !== undefined);
  };
  expect(pattern(7)).toEqual(pattern(7));
  expect(pattern(7)).not.toEqual(pattern(8));
  const share = pattern(7).filter((each) => each).length;
  expect(share).toBeGreaterThan(250);
  expect(share).toBeLessThan(350);
});
