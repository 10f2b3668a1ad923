import { once } from "node:events";
import { createServer, type Http2Server, type ServerHttp2Session } from "node:http2";
import { afterEach, expect, it, vi } from "vitest";
import { watchEngine } from "./watch.js";

const servers: Http2Server[] = [];
const sessions = new Set<ServerHttp2Session>();

async function openEngine(): Promise<{ address: string; kill(): Promise<void>; drop(): void }> {
  const server = createServer();
  servers.push(server);
  server.on("session", (session) => sessions.add(session));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const drop = () => {
    for (const session of sessions) session.destroy();
    sessions.clear();
  };
  return {
    address: `127.0.0.1:${address.port}`,
    drop,
    async kill() {
      server.close();
      drop();
    },
  };
}

afterEach(() => {
  for (const session of sessions) session.destroy();
  sessions.clear();
  for (const server of servers.splice(0)) server.close();
});

it("ends when the engine stops", async () => {
  const engine = await openEngine();
  const end = vi.fn();
  watchEngine(engine.address, end);
  await expect.poll(() => sessions.size).toBe(1);
  expect(end).not.toHaveBeenCalled();
  await engine.kill();
  await expect.poll(() => end).toHaveBeenCalledOnce();
});

it("does not end when only the connection is lost", async () => {
  const engine = await openEngine();
  const end = vi.fn();
  watchEngine(engine.address, end);
  await expect.poll(() => sessions.size).toBe(1);
  engine.drop();
  await expect.poll(() => sessions.size).toBe(1);
  expect(end).not.toHaveBeenCalled();
});
