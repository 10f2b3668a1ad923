import { getEventListeners } from "node:events";
import { createServer } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { CloudServices } from "cloudservices-sdk";
import { expect, it } from "vitest";
import { closeLater } from "../support/folder.js";

const RESPONSE = JSON.stringify({
  status: "success",
  data: { id: "link_1" },
  meta: { request_id: "r", timestamp: 1 },
});

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Returns the bytes in use after a garbage collection. */
async function inUse(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

it("a hundred thousand requests leave no memory, timer or listener behind", async () => {
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.end(RESPONSE));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const client = new CloudServices({
    apiKey: "k",
    baseUrl: `http://127.0.0.1:${port}/v1`,
    partialResponses: true,
  });
  closeLater(async () => {
    await client.close();
    server.close();
  });

  const { signal } = new AbortController();
  let listeners = 0;
  const send = async (count: number) => {
    let left = count;
    const worker = async () => {
      while (left > 0) {
        left -= 1;
        await client.links.get("link_1", { signal });
        if (left % 1_000 === 0) listeners = Math.max(listeners, getEventListeners(signal, "abort").length);
      }
    };
    await Promise.all(Array.from({ length: 32 }, worker));
  };

  await send(20_000);
  const before = await inUse();
  await send(80_000);
  const grown = (await inUse()) - before;

  // One for all requests in flight or in the queue, and none for finished requests.
  expect(listeners).toBe(1);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  // A leak of 50 bytes for each of 80,000 requests would show.
  expect(grown).toBeLessThan(4_000_000);
  expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length).toBeLessThan(20);
});
