import { clearTimeout, setTimeout } from "node:timers";
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
import { type CallFailure, toServiceError } from "./service-error.js";

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
  // The engine may run for an hour, and its plugins receive its interrupts too: it ends them with Cancel or by itself.
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
  const implementation: UntypedServiceImplementation = {};
  for (const name of Object.keys(ResourceProviderService)) implementation[name] = handlerOf(name, loaded);
  server.addService(ResourceProviderService, implementation);
  server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
    if (error) throw error;
    process.stdout.write(`${port}\n`);
    setImmediate(() => void loaded().catch(() => undefined));
  });
  const end = () => {
    const timer = setTimeout(() => process.exit(0), MOST_WAIT);
    server.tryShutdown(() => {
      clearTimeout(timer);
      process.exit(0);
    });
  };
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  if (engine !== undefined) watchEngine(engine, () => process.exit(1));
}

/** Returns the handler of a call, which the engine's library runs. */
function handlerOf(name: string, loaded: () => Promise<Calls>): handleUnaryCall<unknown, unknown> {
  return (call: ServerUnaryCall<unknown, unknown>, respond: sendUnaryData<unknown>) => {
    const work = async () => {
      const run = (await loaded())[name];
      if (run) return await run(call.request);
      const failure: CallFailure = { code: grpc.status.UNIMPLEMENTED, message: `${name} is not implemented` };
      throw failure;
    };
    work().then(
      (response) => respond(null, response),
      (error: unknown) => respond(toServiceError(error)),
    );
  };
}
