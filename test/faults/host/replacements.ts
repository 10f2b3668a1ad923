import * as asyncHooks from "node:async_hooks";
import { createRequire } from "node:module";
import { require } from "./compile.js";
import type { ProcessLife } from "./process-life.js";

/**
 * Returns async storages that end with the process. Node 20 visits every enabled storage for each promise, and a timer
 * that undici shares keeps the last value of each.
 */
export function asyncHooksOf(life: ProcessLife): unknown {
  class AsyncLocalStorage<T> {
    readonly #real = new asyncHooks.AsyncLocalStorage<{ value: T | undefined }>();
    readonly #boxes = new Set<{ value: T | undefined }>();

    constructor() {
      life.atEnd(() => {
        this.#real.disable();
        for (const box of this.#boxes) box.value = undefined;
        this.#boxes.clear();
      });
    }

    run<R>(value: T, work: () => R): R {
      const box = { value: life.ended ? undefined : value };
      this.#boxes.add(box);
      return this.#real.run(box, work);
    }

    getStore(): T | undefined {
      return this.#real.getStore()?.value;
    }
  }
  return { ...asyncHooks, AsyncLocalStorage };
}

/** Returns timers in virtual time. */
export function pausesOf(life: ProcessLife): unknown {
  const setTimeout = (
    milliseconds: number,
    value?: unknown,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const timer = life.time.after(milliseconds, () => {
        life.timers.delete(timer);
        if (!life.ended) resolve(value);
      });
      life.timers.add(timer);
      const abort = () => {
        life.timers.delete(timer);
        timer.cancel(timer.id);
        reject(new Error("the pause was ended"));
      };
      if (signal?.aborted) abort();
      else signal?.addEventListener("abort", abort, { once: true });
    });
  return { setTimeout };
}

/** Returns clients of the engine that close with the process; an open one would reconnect for ever. */
export function engineClientsOf(life: ProcessLife): unknown {
  const engines: typeof import("@pulumi/pulumi/proto/engine_grpc_pb.js") = require("@pulumi/pulumi/proto/engine_grpc_pb");
  class EngineClient extends engines.EngineClient {
    constructor(...given: ConstructorParameters<typeof engines.EngineClient>) {
      super(...given);
      life.atEnd(() => this.close());
      const log: unknown = Reflect.get(this, "log");
      // A killed process prints nothing.
      const value = (...values: unknown[]): unknown =>
        life.ended || typeof log !== "function" ? undefined : Reflect.apply(log, this, values);
      Object.defineProperty(this, "log", { value });
    }
  }
  return { ...engines, EngineClient };
}

/** Returns gRPC with servers that stop with the process. */
export function grpcOf(life: ProcessLife): unknown {
  const grpc: typeof import("@grpc/grpc-js") = createRequire(require.resolve("@pulumi/pulumi"))(
    "@grpc/grpc-js",
  );
  class Server extends grpc.Server {
    constructor(options?: import("@grpc/grpc-js").ServerOptions) {
      super(options);
      life.atEnd(() => this.forceShutdown());
    }

    override bindAsync(...given: Parameters<import("@grpc/grpc-js").Server["bindAsync"]>): void {
      const [address, credentials, done] = given;
      super.bindAsync(address, credentials, (error, port) => {
        const bound: unknown = Reflect.get(this, "http2Servers");
        if (bound instanceof Map) for (const server of bound.keys()) life.servers.add(server);
        done(error, port);
      });
    }
  }
  return { ...grpc, Server };
}

/** Returns Node's module, with the replaced gRPC for the plugin, which loads the copy of its engine's library. */
export function moduleOf(grpc: unknown): unknown {
  const createFrom = (path: string) => {
    const real = createRequire(path);
    const load = (name: string): unknown => (name === "@grpc/grpc-js" ? grpc : real(name));
    return Object.assign(load, { resolve: real.resolve });
  };
  return { createRequire: createFrom };
}
