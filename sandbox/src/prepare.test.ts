import { expect, it } from "vitest";
import { fixedPort } from "../test/port.js";
import { startSandbox } from "./sandbox.js";

it("no request is served before the sandbox is prepared, so no client sees an empty account", async () => {
  const port = await fixedPort();
  const events: string[] = [];
  let health: Promise<Response> | undefined;
  const sandbox = await startSandbox({ port }, async (control) => {
    health = fetch(`http://127.0.0.1:${port}/health`);
    void health.then(() => events.push("served"));
    await new Promise((resolve) => setTimeout(resolve, 200));
    await control.seed([{ kind: "Link", fields: { url: "https://example.com/" } }]);
    events.push("prepared");
  });
  expect((await health)?.status).toBe(200);
  expect(events).toEqual(["prepared", "served"]);
  await sandbox.close();
});

it("a preparation that fails leaves nothing running", async () => {
  const port = await fixedPort();
  const failing = startSandbox({ port }, () => Promise.reject(new Error("no seed")));
  await expect(failing).rejects.toThrow("no seed");
  await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow();
});
