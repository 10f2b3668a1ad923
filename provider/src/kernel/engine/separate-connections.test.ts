import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { runtime } from "@pulumi/pulumi";
import { expect, it, onTestFinished, vi } from "vitest";
import { separateConnections } from "./separate-connections.js";

const require = createRequire(import.meta.url);
const within = createRequire(require.resolve("@pulumi/pulumi"));
const grpc: typeof import("@grpc/grpc-js") = within("@grpc/grpc-js");
const engines: typeof import("@pulumi/pulumi/proto/engine_grpc_pb") = require("@pulumi/pulumi/proto/engine_grpc_pb");
const { RequirePulumiVersionResponse }: typeof import("@pulumi/pulumi/proto/engine_pb") =
  require("@pulumi/pulumi/proto/engine_pb");

const LOCAL_POOL = "grpc.use_local_subchannel_pool";

/** Starts an engine that accepts every version. */
async function startEngine(port: number): Promise<{ port: number; stop: () => void }> {
  const server = new grpc.Server();
  server.addService(engines.EngineService, {
    requirePulumiVersion: (_call: unknown, done: (error: null, response: unknown) => void) =>
      done(null, new RequirePulumiVersionResponse()),
  });
  const bound = await new Promise<number>((resolve, reject) =>
    server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), (error, free) =>
      error ? reject(error) : resolve(free),
    ),
  );
  onTestFinished(() => server.forceShutdown());
  return { port: bound, stop: () => server.forceShutdown() };
}

/** Connects as each run of an inline program does, and leaves the connection of the last one open. */
function call(port: number): Promise<void> {
  runtime.resetOptions("project", "stack", 1, `127.0.0.1:${port}`, "", false, "");
  return runtime.requirePulumiVersion(">=3.0.0");
}

it("reaches an engine on the port of an engine that has ended", async () => {
  onTestFinished(() => runtime.resetOptions("", "", -1, "", "", false, ""));
  separateConnections();
  const { port, stop } = await startEngine(0);
  await call(port);
  stop();
  // The program of a failed run goes on for a moment.
  await expect.poll(() => call(port).then(() => "accepted", String)).toContain("14 UNAVAILABLE");
  await sleep(50);

  await startEngine(port);
  await call(port);
});

it.each(["../../index.js", "../../native/index.js", "../../testing/index.js"])(
  "%s separates the connections",
  async (module) => {
    vi.resetModules();
    const options: unknown = Reflect.get(runtime, "grpcClientOptions");
    if (typeof options !== "object" || options === null) throw new Error("The SDK has no such options.");
    Reflect.deleteProperty(options, LOCAL_POOL);
    await import(module);
    expect(Reflect.get(options, LOCAL_POOL)).toBe(1);
  },
);
