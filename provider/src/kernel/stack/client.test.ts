import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { readSettings } from "../settings/read-settings.js";
import { clientOf } from "./client.js";
import { VERSION } from "./version.js";

interface Heard {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

type Answer = { readonly status?: number; readonly data?: object; readonly afterMs?: number };

/** A service whose responses a test sets by the number of the request, and a stack's client of it. */
async function open(answer: (number: number) => Answer | "never", config: Record<string, string> = {}) {
  const heard: Heard[] = [];
  let [inTheAir, most] = [0, 0];
  const server = createServer((request, response) => {
    heard.push({ path: request.url ?? "", headers: request.headers });
    inTheAir += 1;
    most = Math.max(most, inTheAir);
    response.once("close", () => {
      inTheAir -= 1;
    });
    const said = answer(heard.length);
    if (said === "never") return;
    const { status = 200, data, afterMs = 0 } = said;
    const body = data ? { status: "success", data } : { status: "error", error: { message: "It failed." } };
    setTimeout(() => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    }, afterMs);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const all: Record<string, string> = { apiKey: "key-1", baseUrl: `http://127.0.0.1:${port}/v1`, ...config };
  const api = clientOf(readSettings((key) => all[key.replace("cloudservices:", "")], {}));
  onTestFinished(async () => {
    await api.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { api, heard, most: () => most };
}

const link = { id: "link_1", destination_url: "https://example.com/" };
const database = (status: string) => ({ id: "db_1", status, connection_uri: "postgresql://db.test/orders" });

describe("the client of a stack applies the setting", () => {
  it("apiKey and baseUrl", async () => {
    const { api, heard } = await open(() => ({ data: link }));
    await api.links.get("link_1");
    expect(heard).toMatchObject([
      { path: "/v1/shortener/links/link_1", headers: { authorization: "Bearer key-1" } },
    ]);
  });

  it.each([
    ["0", 1],
    ["1", 2],
  ])("maxRetries: with %s, a request that keeps failing is sent %i times", async (maxRetries, times) => {
    const { api, heard } = await open(() => ({ status: 500 }), { maxRetries });
    await expect(api.links.get("link_1")).rejects.toThrow();
    expect(heard).toHaveLength(times);
  });

  it("idempotencyKeys", async () => {
    const create = async (config: Record<string, string>) => {
      const { api, heard } = await open(() => ({ data: link }), config);
      await api.links.create({ url: "https://example.com/" });
      return heard[0]?.headers["idempotency-key"];
    };
    expect(await create({})).toBeUndefined();
    expect(await create({ idempotencyKeys: "true" })).toMatch(/./);
  });

  it.each([
    [{ maxConcurrency: "1" }, 1],
    [{ maxConcurrency: "3" }, 3],
    [{}, 5],
  ])("maxConcurrency: with %j, five requests are in flight %i at a time", async (config, expected) => {
    const { api, most } = await open(() => ({ data: link, afterMs: 1_000 }), config);
    await Promise.all(Array.from({ length: 5 }, () => api.links.get("link_1")));
    expect(most()).toBe(expected);
  });

  // The default is a minute.
  it("requestTimeout", { timeout: 20_000 }, async () => {
    const { api } = await open(() => "never", { requestTimeout: "100", maxRetries: "0" });
    await expect(api.links.get("link_1")).rejects.toMatchObject({ code: "TIMEOUT" });
  });

  // By default the first three pauses are 1 s and more each.
  it("pollInterval", { timeout: 20_000 }, async () => {
    const { api } = await open((number) => ({ data: database(number < 4 ? "provisioning" : "ready") }), {
      pollInterval: "10",
    });
    const began = performance.now();
    await api.databases.waitForStatus("db_1", "ready");
    expect(performance.now() - began).toBeLessThan(2_500);
  });
});

it("the client sends the package and version in the User-Agent header", async () => {
  const { api, heard } = await open(() => ({ data: [] }));
  await api.links.list();
  expect(heard[0]?.headers["user-agent"]).toMatch(/^pulumi-cloudservices\/\S+ cloudservices-sdk\//);
  const manifest: unknown = JSON.parse(
    readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
  );
  expect(manifest).toMatchObject({ version: VERSION });
});
