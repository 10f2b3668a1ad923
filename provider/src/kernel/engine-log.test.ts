import { createRequire } from "node:module";
import { expect, it } from "vitest";
import { engineReporter } from "./engine-log.js";

const require = createRequire(import.meta.url);
const within = createRequire(require.resolve("@pulumi/pulumi"));
const grpc: typeof import("@grpc/grpc-js") = within("@grpc/grpc-js");
const engines: typeof import("@pulumi/pulumi/proto/engine_grpc_pb") = require("@pulumi/pulumi/proto/engine_grpc_pb");
const { Empty }: { Empty: new () => unknown } = within("google-protobuf/google/protobuf/empty_pb");

it("a warning has arrived before the hook answers, because after the last answer the engine ends", async () => {
  let taken = 0;
  const server = new grpc.Server();
  server.addService(engines.EngineService, {
    log: (_call: unknown, done: (error: null, empty: unknown) => void) => {
      setTimeout(() => {
        taken += 1;
        done(null, new Empty());
      }, 50);
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  try {
    const reporter = engineReporter(`127.0.0.1:${port}`);
    reporter.warn("urn:pulumi:dev::test::a:b:C::name", "something was left at the service");
    await reporter.delivered();
    expect(taken).toBe(1);
  } finally {
    server.forceShutdown();
  }
});
