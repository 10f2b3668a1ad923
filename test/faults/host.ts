import * as asyncHooks from "node:async_hooks";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { Timer, type VirtualTime } from "./time.js";

/*
 * Serves the provider through the engine's own host of dynamic providers, as often as a run needs a new process. A
 * generation is a process in all that matters: its modules are evaluated anew, with a clock, a console and arguments
 * of their own, and when it is killed it can neither send nor hear anything any more. That takes some milliseconds,
 * where a real process takes a second.
 */

const require = createRequire(import.meta.url);
const root = process.env["CAMPAIGN_ROOT"] ?? fileURLToPath(new URL("../../", import.meta.url));
const HOST = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");

/** Changes the text of one of the product's modules before it is run, for a broken provider. */
export type Patch = (path: string, source: string) => string;

export interface GenerationOptions {
  readonly time: VirtualTime;
  /** Where the engine listens for logs, as `host:port`. */
  readonly engine: string;
  readonly patch?: { readonly name: string; readonly apply: Patch };
  /** What the process prints. */
  readonly print: (stream: "stdout" | "stderr", text: string) => void;
}

export interface Generation {
  /** The port on which it serves gRPC. */
  readonly port: number;
  /** How many requests it has under way. */
  readonly inFlight: () => number;
  /** Ends it as kill -9 does. */
  kill(): void;
}

type Values = Readonly<Record<string, unknown>>;
type Factory = (...values: unknown[]) => void;

function compiled(source: string, filename: string): Factory {
  const evaluate = compileFunction(source, NAMES, { filename });
  return (...values) => Reflect.apply(evaluate, undefined, values);
}

const NAMES = [
  "exports",
  "require",
  "module",
  "__filename",
  "__dirname",
  "process",
  "console",
  "Date",
  "performance",
  "setTimeout",
  "clearTimeout",
];

const factories = new Map<string, Factory>();

function factoryOf(path: string, patch: GenerationOptions["patch"]): Factory {
  const key = `${patch?.name ?? ""} ${path}`;
  const known = factories.get(key);
  if (known) return known;
  const source = readFileSync(path, "utf8");
  const made = compiled(patch?.apply(path, source) ?? source, path);
  factories.set(key, made);
  return made;
}

const texts = new Map<string, Factory>();

function textOf(source: string): Factory {
  const made = texts.get(source) ?? compiled(source, "state");
  texts.set(source, made);
  return made;
}

const isOwn = (path: string): boolean =>
  path === HOST || path.startsWith(`${root}provider/dist/`) || path.startsWith(`${root}sdk/dist/cjs/`);

/** Starts a provider process. */
export async function openGeneration(options: GenerationOptions): Promise<Generation> {
  const life = new Life(options.time);
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

/** What ends with the process. */
class Life {
  ended = false;
  inFlight = 0;
  readonly #endings: (() => void)[] = [];
  readonly timers = new Set<Timer>();
  readonly servers = new Set<unknown>();

  constructor(readonly time: VirtualTime) {}

  atEnd(ending: () => void): void {
    if (this.ended) ending();
    else this.#endings.push(ending);
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    for (const timer of this.timers) timer.cancel(timer.id);
    for (const ending of this.#endings.splice(0)) ending();
  }
}

function globalsOf(
  { time, engine, print }: GenerationOptions,
  life: Life,
  listening: (port: number) => void,
  failed: (error: Error) => void,
): Values {
  const line = (parts: readonly unknown[]) => parts.map(String).join(" ");
  const error = (...parts: unknown[]) => {
    if (!life.ended) print("stderr", line(parts));
  };
  const log = (...parts: unknown[]) => {
    const text = line(parts);
    // The host's first line is the port on which it serves.
    if (/^\d+$/.test(text)) listening(Number(text));
    else if (!life.ended) print("stdout", text);
  };
  const virtual = {
    argv: ["node", HOST, engine],
    env: {},
    cwd: () => root,
    on: () => undefined,
    // Where the provider looks for the server of its own host.
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

type Found = { readonly own: string } | { readonly shared: unknown };

const found = new Map<string, Found>();
const resolutions = new Map<string, string>();

/** What a module means by a name; looking for it takes longer than evaluating it. */
function foundFrom(path: string, name: string): Found {
  const key = `${path} ${name}`;
  const known = found.get(key);
  if (known) return known;
  const real = createRequire(path);
  const resolved = real.resolve(name);
  const made: Found = isOwn(resolved) ? { own: resolved } : { shared: real(name) };
  found.set(key, made);
  return made;
}

interface Module {
  exports: unknown;
}

/** The modules of one generation: the product's own are evaluated anew, what they stand on is shared. */
class Modules {
  readonly #loaded = new Map<string, Module>();
  readonly #globals: Values;
  readonly #patch: GenerationOptions["patch"];
  readonly #replaced: Readonly<Record<string, unknown>>;

  constructor(globals: Values, patch: GenerationOptions["patch"], life: Life) {
    this.#globals = globals;
    this.#patch = patch;
    this.#replaced = {
      undici: undiciOf(life),
      "@grpc/grpc-js": grpcOf(life),
      "node:async_hooks": asyncHooksOf(life),
      "@pulumi/pulumi": pulumiOf(life),
      "node:timers/promises": pausesOf(life),
      "require-from-string": (source: string) => this.#evaluate(source),
    };
  }

  load(path: string): unknown {
    const known = this.#loaded.get(path);
    if (known) return known.exports;
    const module: Module = { exports: {} };
    this.#loaded.set(path, module);
    this.#call(factoryOf(path, this.#patch), module, path);
    return module.exports;
  }

  /** The text in the state, as the host evaluates it. */
  #evaluate(source: string): unknown {
    const module: Module = { exports: {} };
    this.#call(textOf(source), module, `${root}package.json`);
    return module.exports;
  }

  #call(factory: Factory, module: Module, path: string): void {
    const values: Values = {
      ...this.#globals,
      exports: module.exports,
      module,
      require: this.#requireFrom(path),
      __filename: path,
      __dirname: dirname(path),
    };
    factory(...NAMES.map((name) => values[name]));
  }

  #requireFrom(path: string): unknown {
    const load = (name: string): unknown => {
      const replaced = isOwn(path) ? this.#replaced[name] : undefined;
      if (replaced !== undefined) return replaced;
      const found = foundFrom(path, name);
      return "own" in found ? this.load(found.own) : found.shared;
    };
    return Object.assign(load, {
      // From wherever the text asks: the product is this checkout's.
      resolve: (name: string) => {
        const known = resolutions.get(name) ?? createRequire(`${root}package.json`).resolve(name);
        resolutions.set(name, known);
        return known;
      },
    });
  }
}

const sdkRequire = createRequire(`${root}sdk/package.json`);

type Callback = (...given: unknown[]) => unknown;

const METHODS = [
  "onRequestStart",
  "onRequestUpgrade",
  "onResponseStart",
  "onResponseData",
  "onResponseEnd",
  "onResponseError",
] as const;
/** A handler of undici 7, of which only matters that it is called. */
type Handler = { readonly [method in (typeof METHODS)[number]]?: Callback };

interface Undici {
  readonly Agent: new (
    options?: object,
  ) => {
    dispatch(options: object, handler: Handler): boolean;
    destroy(): Promise<void>;
  };
}

/** undici with agents that die with the process, and for whose requests time waits. */
function undiciOf(life: Life): unknown {
  const undici: Undici = sdkRequire("undici");
  class Agent extends undici.Agent {
    constructor(options?: object) {
      super(options);
      life.atEnd(() => void this.destroy().catch(() => undefined));
    }

    override dispatch(options: object, handler: Handler): boolean {
      if (life.ended) return false;
      const release = life.time.hold();
      life.inFlight += 1;
      const over = () => {
        release();
        life.inFlight -= 1;
      };
      return super.dispatch(options, untilOver(handler, over));
    }
  }
  return { ...undici, Agent };
}

/** A handler that says when the last of its methods has been called. */
function untilOver(handler: Handler, over: () => void): Handler {
  let done = false;
  const end = () => {
    if (done) return;
    done = true;
    // What follows from it runs first.
    setImmediate(over);
  };
  const method = (name: (typeof METHODS)[number]): Callback => {
    const isLast = name === "onResponseEnd" || name === "onResponseError";
    return (...given) => {
      if (isLast) end();
      return handler[name]?.(...given);
    };
  };
  return Object.fromEntries(METHODS.map((name) => [name, method(name)]));
}

/**
 * Storages that end with the process. Node 20 visits every enabled one for each promise, and a timer that undici shares
 * keeps the last value of each.
 */
function asyncHooksOf(life: Life): unknown {
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

/** Pauses that take virtual time. */
function pausesOf(life: Life): unknown {
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

/** Pulumi with connections to the engine that end with the process: an open one tries to connect for ever. */
function pulumiOf(life: Life): unknown {
  const pulumi: typeof import("@pulumi/pulumi") = require("@pulumi/pulumi");
  const getEngine = () => {
    const engine = pulumi.runtime.getEngine();
    const close: unknown = engine && Reflect.get(engine, "close");
    if (typeof close === "function") life.atEnd(() => void Reflect.apply(close, engine, []));
    // A dead process says nothing more.
    const log: unknown = engine && Reflect.get(engine, "log");
    return Object.create(engine ?? null, {
      log: {
        value: (...given: unknown[]) =>
          life.ended || typeof log !== "function" ? undefined : Reflect.apply(log, engine, given),
      },
    });
  };
  const runtime: unknown = Object.create(pulumi.runtime, { getEngine: { value: getEngine } });
  return Object.create(pulumi, { runtime: { value: runtime } });
}

/** gRPC with servers that die with the process. */
function grpcOf(life: Life): unknown {
  const grpc: typeof import("@grpc/grpc-js") = createRequire(HOST)("@grpc/grpc-js");
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
