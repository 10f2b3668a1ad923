import type {
  handleUnaryCall,
  ServerUnaryCall,
  sendUnaryData,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { grpc } from "../grpc.js";
import { engineAddress } from "../log.js";
import { watchEngine } from "../watch.js";
import type { CallFailure } from "./service-error.js";

/** How long the process waits at its end for the calls in flight, in milliseconds. */
const MOST_WAIT = 5_000;

/** A call of the protocol. A method, because the engine's library guarantees the type of each request, not ours. */
interface Call {
  run(request: unknown): unknown;
}

/** The calls that the plugin implements, by name. */
type Calls = Readonly<Record<string, Call["run"]>>;

/**
 * Serves the engine's protocol for providers on a free port, which it prints. The calls are loaded after that: the
 * engine starts the plugin of each provider before it needs one.
 */
export function serve(load: (engine: string | undefined) => Promise<Calls>): void {
  const engine = engineAddress(process.argv.at(-1));
  const server = new grpc.Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  let calls: Promise<Calls> | undefined;
  const loaded = () => {
    calls ??= load(engine);
    return calls;
  };
  const inFlight = new Set<Promise<unknown>>();
  const implementation: UntypedServiceImplementation = {};
  for (const name of Object.keys(ResourceProviderService))
    implementation[name] = handlerOf(name, loaded, inFlight);
  server.addService(ResourceProviderService, implementation);
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    process.stdout.write(`${port}\n`);
    setImmediate(() => void loaded().catch(() => undefined));
  });
  // The engine interrupts its plugins when it ends, and then waits for them.
  const end = () => {
    if (inFlight.size === 0) process.exit(0);
    setTimeout(() => process.exit(0), MOST_WAIT);
    void Promise.allSettled(inFlight).then(() => process.exit(0));
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  if (engine !== undefined) watchEngine(engine, () => process.exit(1));
}

/** Returns the handler of a call, which the engine's library runs. */
function handlerOf(
  name: string,
  loaded: () => Promise<Calls>,
  inFlight: Set<Promise<unknown>>,
): handleUnaryCall<unknown, unknown> {
  return (call: ServerUnaryCall<unknown, unknown>, respond: sendUnaryData<unknown>) => {
    const work = async () => {
      const run = (await loaded())[name];
      if (run) return await run(call.request);
      const failure: CallFailure = { code: grpc.status.UNIMPLEMENTED, message: `${name} is not implemented` };
      throw failure;
    };
    const answered = work().then(
      (response) => respond(null, response),
      async (error: unknown) => {
        const { toServiceError } = await import("./service-error.js");
        respond(toServiceError(error));
      },
    );
    inFlight.add(answered);
    void answered.finally(() => inFlight.delete(answered));
  };
}
