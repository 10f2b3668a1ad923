import { createServer } from "node:http";
import type { Duplex } from "node:stream";
import { Agent } from "undici";
import { afterEach, describe, expect, it, vi } from "vitest";
import { errorOf } from "../../../test/support/failure.js";
import { CloudServices } from "../client.js";
import { requireDispatch } from "./agent.js";
import { ConfigurationError, ConnectionError } from "./errors.js";

const closing: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0)) close();
});

/** A proxy that does the same with every tunnel, and a client that uses it. */
async function openProxy(answer: (socket: Duplex) => void) {
  let tunnels = 0;
  const proxy = createServer();
  proxy.on("connect", (_, socket) => {
    tunnels += 1;
    socket.on("error", () => {});
    answer(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  const port = typeof address === "object" ? address?.port : undefined;
  vi.stubEnv("HTTPS_PROXY", `http://user:canary-of-the-proxy@127.0.0.1:${port}`);
  const client = new CloudServices({ apiKey: "k", baseUrl: "https://api.test/v1", maxRetries: 0 });
  closing.push(() => {
    void client.close();
    proxy.close();
  });
  return { client, tunnels: () => tunnels };
}

describe("a proxy that opens no tunnel", () => {
  it.each<[string, (socket: Duplex) => void, string]>([
    ["drops the connection", (socket) => socket.destroy(), "PROXY_FAILED: the proxy opened no tunnel"],
    [
      "responds with an error",
      (socket) => socket.end("HTTP/1.1 502 Bad\r\ncontent-length: 0\r\n\r\n"),
      "Proxy response (502)",
    ],
    [
      "does not speak HTTP",
      (socket) => socket.end("220 mail.test ESMTP\r\n"),
      "PROXY_FAILED: the proxy opened no tunnel",
    ],
  ])("and %s is asked once for each attempt, and the request is notSent", async (_, answer, reason) => {
    const { client, tunnels } = await openProxy(answer);
    const error = await errorOf(client.links.create({ url: "https://example.com/" }), ConnectionError);
    expect(error.outcome).toBe("notSent");
    expect(error.message).toContain(reason);
    expect(String(error)).not.toContain("canary");
    // Time enough for hundreds of connections.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(tunnels()).toBe(1);
  });
});

it("a runtime whose undici cannot dispatch is named before anything is sent", async () => {
  const agent = new Agent();
  expect(requireDispatch(agent)).toBe(agent);
  await agent.close();
  // As in Bun 1.4.
  class Replaced {}
  expect(() => requireDispatch(new Replaced())).toThrow(ConfigurationError);
  expect(() => requireDispatch(new Replaced())).toThrow(/runtime replaces undici.*nothing was sent/);
});
