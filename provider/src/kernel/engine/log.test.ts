import { createRequire } from "node:module";
import { expect, it, onTestFinished } from "vitest";
import { engineReporter } from "./log.js";

const require = createRequire(import.meta.url);
const within = createRequire(require.resolve("@pulumi/pulumi"));
const grpc: typeof import("@grpc/grpc-js") = within("@grpc/grpc-js");
const engines: typeof import("@pulumi/pulumi/proto/engine_grpc_pb") = require("@pulumi/pulumi/proto/engine_grpc_pb");
const { Empty }: { Empty: new () => unknown } = within("google-protobuf/google/protobuf/empty_pb");

/** An engine that responds to a log request when `answer` calls its argument. */
async function openEngine(answer: (done: () => void) => void) {
  const server = new grpc.Server();
  server.addService(engines.EngineService, {
    log: (_call: unknown, done: (error: null, empty: unknown) => void) =>
      answer(() => done(null, new Empty())),
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  onTestFinished(() => server.forceShutdown());
  return engineReporter(`127.0.0.1:${port}`);
}

const urn = "urn:pulumi:dev::test::a:b:C::name";

it("a warning arrives before the hook returns, because the engine ends after the last hook", async () => {
  let taken = 0;
  const reporter = await openEngine((done) =>
    setTimeout(() => {
      taken += 1;
      done();
    }, 50),
  );
  reporter.warn(urn, "something was left at the service");
  await reporter.delivered();
  expect(taken).toBe(1);
});

it("an engine that never accepts a warning does not block a hook", async () => {
  const reporter = await openEngine(() => undefined);
  reporter.warn(urn, "something was left at the service");
  await reporter.delivered();
});
