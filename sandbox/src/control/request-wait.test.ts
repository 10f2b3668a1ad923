import { expect, test, vi } from "vitest";
import { z } from "zod";
import { apiClientFor, sandboxFor } from "../../test/api-client.js";

const anEntry = z.object({ requestId: z.string(), path: z.string(), status: z.number() });

test("a test waits for a request that is still to come, and for the one after it", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  const wanted = { method: "POST", path: "/shortener", tenant: "local" };
  const first = sandbox.waitForRequest(wanted);
  await call("GET", "/shortener/links");
  await apiClientFor(sandbox, "sandbox_other")("POST", "/shortener/links", { url: "https://example.com/0" });
  await call("POST", "/shortener/links", { url: "https://example.com/1" });
  const { requestId, requestBody, status } = await first;
  expect([requestBody, status]).toEqual([{ url: "https://example.com/1" }, 201]);
  expect((await sandbox.waitForRequest(wanted)).requestId).toBe(requestId);
  const query = new URLSearchParams({ ...wanted, after: requestId, status: "400" });
  const next = fetch(`${sandbox.url}/_sandbox/journal/wait?${query}`);
  await call("POST", "/shortener/links", { url: "https://example.com/2" });
  await call("POST", "/shortener/links", { url: 3 });
  expect(anEntry.parse(await (await next).json())).toMatchObject({ status: 400 });
});

test("a wait ends with what arrived instead, and with the sandbox", async () => {
  const sandbox = await sandboxFor();
  await apiClientFor(sandbox)("GET", "/webhooks");
  await expect(sandbox.waitForRequest({ path: "/vps" }, { timeoutMs: 20 })).rejects.toThrow(
    "No request with path /vps arrived within 20 ms; the last request was GET /webhooks.",
  );
  const timely = await fetch(`${sandbox.url}/_sandbox/journal/wait?path=/vps&timeoutMs=20`);
  expect(timely.status).toBe(404);
  const waits = Array.from({ length: 100 }, () =>
    expect(sandbox.waitForRequest({ path: "/vps" })).rejects.toThrow("The sandbox is closing."),
  );
  await expect(sandbox.waitForRequest({ path: "/vps" })).rejects.toThrow("100 waits");
  await sandbox.close();
  await Promise.all(waits);
});

test("a client that leaves, and a signal, end their waits", async () => {
  const sandbox = await sandboxFor();
  const leaving = new AbortController();
  const address = `${sandbox.url}/_sandbox/journal/wait?path=/vps&timeoutMs=600000`;
  // An attempt below holds the place of a wait for a moment. A client that it displaced asks again.
  async function stay(): Promise<void> {
    for (;;) expect((await fetch(address, { signal: leaving.signal })).status).toBe(409);
  }
  const waits = Array.from({ length: 99 }, () => expect(stay()).rejects.toThrow("abort"));
  const own = sandbox.waitForRequest({ path: "/vps" }, { signal: leaving.signal });
  const ended = expect(own).rejects.toThrow("ended by its signal");
  const attempt = () => sandbox.waitForRequest({ path: "/vps" }, { timeoutMs: 1 });
  await vi.waitFor(() => expect(attempt()).rejects.toThrow("100 waits"), 10_000);
  leaving.abort();
  await Promise.all([...waits, ended]);
  await vi.waitFor(() => expect(attempt()).rejects.toThrow("arrived within 1 ms"), 10_000);
});

test("requests that no endpoint matched are listed, with those that missed the base URL", async () => {
  const sandbox = await sandboxFor();
  const call = apiClientFor(sandbox);
  await call("GET", "/databasez");
  await call("PATCH", "/shortener/links");
  await call("GET", "/databases/db_none");
  await apiClientFor(sandbox, "wrong")("GET", "/databases");
  await fetch(`${sandbox.url}/databases`, { headers: { authorization: "Bearer sandbox_local" } });
  await fetch(`${sandbox.url}/databases/db_1?token=x`, { method: "DELETE" });
  await fetch(`${sandbox.url}/not-a-link`);
  const seen = sandbox.unmatchedRequests().map(({ method, path, status }) => `${method} ${path} ${status}`);
  expect(seen).toEqual([
    "GET /databasez 404",
    "PATCH /shortener/links 405",
    "GET /databases 404",
    "DELETE /databases/db_1 405",
  ]);
  expect(sandbox.unmatchedRequests("other")).toHaveLength(2);
  const listed = await fetch(`${sandbox.url}/_sandbox/journal/unmatched?tenant=local`);
  expect(await listed.json()).toEqual(sandbox.unmatchedRequests());
  expect(JSON.stringify(sandbox.unmatchedRequests())).not.toContain('"x"');
  expect(sandbox.journal()).toHaveLength(4);
  sandbox.clearJournal();
  expect(sandbox.unmatchedRequests()).toEqual([]);
});
