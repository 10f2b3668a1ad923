import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { collectGarbage } from "../../../test/garbage-collector.js";
import { createOutbound, reasonOf } from "./outbound.js";

test("a request to a silent receiver times out, even after a garbage collection", async () => {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, "listening");
  collectGarbage();
  const url = `http://127.0.0.1:${Object(server.address()).port}/`;
  const sent = createOutbound({
    allowsAll: false,
    closing: new AbortController().signal,
    ownPorts: () => [],
    timeoutMs: 500,
  }).post(url, "{}", {});
  expect(await sent.catch(reasonOf)).toBe("No answer within 0.5 seconds.");
});
