import { once } from "node:events";
import { connect, createServer } from "node:http2";
import { expect, it, onTestFinished, vi } from "vitest";
import { watchCancellation } from "./cancel.js";

it("reports the engine's cancel request, and no other", async () => {
  const server = createServer((_request, response) => response.end());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const cancelled = vi.fn();
  watchCancellation(cancelled);

  const engine = connect(`http://127.0.0.1:${address.port}`);
  onTestFinished(() => {
    engine.close();
    server.close();
  });
  const call = async (method: string) => {
    const stream = engine.request({ ":method": "POST", ":path": `/pulumirpc.ResourceProvider/${method}` });
    stream.resume().end();
    // The server still responds as before.
    await once(stream, "end");
  };
  await call("Create");
  expect(cancelled).not.toHaveBeenCalled();
  await call("Cancel");
  expect(cancelled).toHaveBeenCalledOnce();
});
