import { runtime } from "@pulumi/pulumi";

/**
 * Separates the connections of operations in one process. After a failed operation, Pulumi's Node SDK leaves connections
 * open, which gRPC retries at growing intervals. When a later engine listens on the port of such a connection, gRPC
 * reports the old failure without trying the new engine. The SDK hides that error: the engine runs without the program,
 * and `up` deletes every resource. The package calls it when a program imports it.
 */
export function separateConnections(): void {
  // 3.216 has only the second. Neither is in the SDK's types.
  for (const name of ["grpcClientOptions", "grpcChannelOptions"]) {
    const options: unknown = Reflect.get(runtime, name);
    if (typeof options === "object" && options !== null)
      Reflect.set(options, "grpc.use_local_subchannel_pool", 1);
  }
}
