import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { apiClientFor, aServer, aWebhook, sandboxFor } from "../test/api-client.js";
import { temporaryFolder } from "../test/folder.js";
import { startSandbox } from "./sandbox.js";

test("invalid options are named in the error", async () => {
  await expect(startSandbox({ port: 70_000 })).rejects.toThrow(/Invalid sandbox options[\s\S]*port/);
});

test("a start that fails lets go of everything it had taken", async () => {
  const data = await temporaryFolder();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const smtpPort: number = Object(other.address()).port;
  await expect(startSandbox({ data, smtpPort })).rejects.toThrow(/EADDRINUSE/);
  await sandboxFor({ data });
});

test("state and the clock go on where they stood", async () => {
  const data = await temporaryFolder();
  const first = await startSandbox({ data, provisioning: { vpsMs: 60_000 } });
  first.clock.freeze(new Date("2030-01-01T00:00:00Z"));
  const { id } = await apiClientFor(first)("POST", "/vps/instances", aServer);
  await first.close();
  const second = await sandboxFor({ data });
  const call = apiClientFor(second);
  expect(second.clock.now()).toBe(Date.parse("2030-01-01T00:00:00Z"));
  expect((await call("GET", `/vps/instances/${id}`)).data).toMatchObject({ status: "provisioning" });
  await second.clock.advance(60_000);
  expect((await call("GET", `/vps/instances/${id}`)).data).toMatchObject({ status: "running" });
});

test("closing does not wait for a receiver that never answers", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void silent.close());
  const sandbox = await startSandbox();
  const url = `http://127.0.0.1:${Object(silent.address()).port}/`;
  await apiClientFor(sandbox)("POST", "/webhooks", { ...aWebhook, url });
  sandbox.emit("local", "vps.snapshot.completed", {});
  const began = performance.now();
  await sandbox.close();
  // Its patience with a receiver is ten seconds.
  expect(performance.now() - began).toBeLessThan(8_000);
});
