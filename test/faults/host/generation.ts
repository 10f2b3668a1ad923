import { Timer, type VirtualTime } from "../time.js";
import { HOST, type Patch, root, type Values } from "./compile.js";
import { Modules } from "./modules.js";
import { ProcessLife } from "./process-life.js";

export interface GenerationOptions {
  readonly time: VirtualTime;
  /** The engine's address for logs, as `host:port`. */
  readonly engine: string;
  readonly patch?: { readonly name: string; readonly apply: Patch };
  /** What the process prints. */
  readonly print: (stream: "stdout" | "stderr", text: string) => void;
}

export interface Generation {
  /** The port on which it serves gRPC. */
  readonly port: number;
  /** The number of requests in flight. */
  readonly inFlight: () => number;
  /** Ends it like `kill -9`. */
  kill(): void;
}

/** Starts a provider process. */
export async function openGeneration(options: GenerationOptions): Promise<Generation> {
  const life = new ProcessLife(options.time);
  const listening = new Promise<number>((resolve, reject) => {
    const globals = globalsOf(options, life, (port) => resolve(port), reject);
    const modules = new Modules(globals, options.patch, life);
    try {
      modules.load(HOST);
    } catch (error) {
      reject(error);
    }
  });
  const port = await listening;
  return {
    port,
    inFlight: () => life.inFlight,
    kill: () => life.end(),
  };
}

function globalsOf(
  { time, engine, print }: GenerationOptions,
  life: ProcessLife,
  listening: (port: number) => void,
  failed: (error: Error) => void,
): Values {
  const line = (parts: readonly unknown[]) => parts.map(String).join(" ");
  const error = (...parts: unknown[]) => {
    if (!life.ended) print("stderr", line(parts));
  };
  const log = (...parts: unknown[]) => {
    const text = line(parts);
    // The first line is the port.
    if (/^\d+$/.test(text)) listening(Number(text));
    else if (!life.ended) print("stdout", text);
  };
  const virtual = {
    argv: ["node", HOST, engine],
    env: {},
    cwd: () => root,
    on: () => undefined,
    once: () => undefined,
    stdout: { write: (text: string) => log(text.trimEnd()) },
    // The provider looks here for the server of its host.
    _getActiveHandles: () => [...life.servers],
    exit: (code: number) => {
      failed(new Error(`the provider ended with ${code}`));
      life.end();
    },
  };
  class VirtualDate extends Date {
    constructor(...given: [] | [string | number | Date]) {
      if (given.length === 0) super(time.now);
      else super(given[0]);
    }
    static override now(): number {
      return time.now;
    }
  }
  return {
    process: new Proxy(process, {
      get: (target, name) => Reflect.get(name in virtual ? virtual : target, name),
      set: () => true,
    }),
    console: { log, info: log, debug: log, warn: error, error },
    Date: VirtualDate,
    performance: { now: () => time.now },
    setTimeout: (run: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]) => {
      const timer = time.after(milliseconds, () => {
        life.timers.delete(timer);
        if (!life.ended) run(...given);
      });
      life.timers.add(timer);
      return timer;
    },
    clearTimeout: (timer: unknown) => {
      if (!(timer instanceof Timer)) return;
      life.timers.delete(timer);
      timer.cancel(timer.id);
    },
  };
}
