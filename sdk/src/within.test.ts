import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { afterEach, describe, expect, it, vi } from "vitest";
import { errorOf } from "../../test/support/failure.js";
import { CloudServices } from "./client.js";
import { systemClock } from "./core/clock.js";
import { AbortError, TimeoutError } from "./core/errors.js";
import { wireDatabase, wireLink } from "./testing/wire.js";
// The client loads it with its first request, which takes longer than the shortest deadline here.
import "undici";

const close: (() => void)[] = [];
afterEach(() => {
  for (const each of close.splice(0)) each();
});

/** A service that responds when the test says so. */
async function slowService(maxConcurrency = 16) {
  const held: { request: string; response: ServerResponse }[] = [];
  const server = createServer((request, response) => {
    request.resume();
    held.push({ request: `${request.method} ${request.url}`, response });
  });
  close.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const baseUrl = `http://127.0.0.1:${address.port}/v1`;
  const client = new CloudServices({ apiKey: "sk_test_1", baseUrl, maxConcurrency, pollInterval: 10 });
  const respond = (data: unknown) => {
    const body = JSON.stringify({ status: "success", data, meta: {} });
    held.shift()?.response.setHeader("content-type", "application/json").end(body);
  };
  return { client, held, respond };
}

describe("client.within", () => {
  it("ends a call when no time remains, with an ambiguous outcome", async () => {
    const { client } = await slowService();
    const hurried = client.within({ remaining: () => 3_000 });
    const error = await errorOf(hurried.links.create({ url: "https://example.com/" }), TimeoutError);
    expect(error.outcome).toBe("ambiguous");
  });

  it("sends nothing when no time remains at the start", async () => {
    const { client, held } = await slowService();
    const late = client.within({ remaining: (method) => (method === "GET" ? 60_000 : 0) });
    const error = await errorOf(late.links.create({ url: "https://example.com/" }), TimeoutError);
    expect(error.outcome).toBe("notSent");
    // The time may differ by method.
    void late.links.get("link_1").catch(() => undefined);
    await expect.poll(() => held).toHaveLength(1);
    expect(held.map(({ request }) => request)).toEqual(["GET /v1/shortener/links/link_1"]);
  });

  it("stops requests that are not sent, and lets those in flight finish", async () => {
    const { client, held, respond } = await slowService(1);
    const stop = new AbortController();
    const stoppable = client.within({ stop: stop.signal });
    const first = stoppable.links.create({ url: "https://example.com/1" });
    const second = stoppable.links.create({ url: "https://example.com/2" });
    const queued = errorOf(second, AbortError);
    await expect.poll(() => held).toHaveLength(1);
    stop.abort();
    expect((await queued).outcome).toBe("notSent");
    const third = await errorOf(stoppable.links.create({ url: "https://example.com/3" }), AbortError);
    expect(third.outcome).toBe("notSent");
    respond(wireLink);
    expect(await first).toMatchObject({ id: "link_1" });
    expect(held).toEqual([]);
  });

  it("aborts requests in flight when its signal is aborted", async () => {
    const { client, held } = await slowService();
    const given = new AbortController();
    const creation = client.within({ signal: given.signal }).links.create({ url: "https://example.com/" });
    const failure = errorOf(creation, AbortError);
    await expect.poll(() => held).toHaveLength(1);
    given.abort();
    expect((await failure).outcome).toBe("ambiguous");
  });

  it("shares the limiter and the polls with its client", async () => {
    const { client, held, respond } = await slowService(1);
    const waits = [client, client.within({}), client.within({ remaining: () => 0 })].map((each) =>
      each.databases.waitUntilReady("db_1", { timeout: 10_000 }),
    );
    await expect.poll(() => held).toHaveLength(1);
    respond(wireDatabase);
    expect(await Promise.all(waits)).toHaveLength(3);
    expect(held).toEqual([]);
  });
});

describe("the system clock", () => {
  it("waits longer than one platform timer can", async () => {
    vi.useFakeTimers();
    try {
      const month = 31 * 86_400_000;
      const run = vi.fn();
      systemClock.after(month, run);
      await vi.advanceTimersByTimeAsync(month - 1);
      expect(run).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      expect(run).toHaveBeenCalledOnce();

      const cancelled = vi.fn();
      const cancel = systemClock.after(month, cancelled);
      await vi.advanceTimersByTimeAsync(month - 1_000);
      cancel();
      await vi.advanceTimersByTimeAsync(month);
      expect(cancelled).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });
});
