import { createRequire } from "node:module";
import { dirname } from "node:path";
import { type Factory, factoryOf, isOwn, NAMES, root, textOf, type Values } from "./compile.js";
import type { GenerationOptions } from "./generation.js";
import type { ProcessLife } from "./process-life.js";
import { asyncHooksOf, engineClientsOf, grpcOf, moduleOf, pausesOf } from "./replacements.js";
import { undiciOf } from "./undici.js";

type Found = { readonly own: string } | { readonly shared: unknown };

const found = new Map<string, Found>();
const resolutions = new Map<string, string>();

/** Resolves an import. Results are cached, because resolving takes longer than evaluating. */
function resolveModule(path: string, name: string): Found {
  const key = `${path} ${name}`;
  const known = found.get(key);
  if (known) return known;
  const real = createRequire(path);
  const resolved = unbundled(real.resolve(name));
  const made: Found = isOwn(resolved) ? { own: resolved } : { shared: real(name) };
  found.set(key, made);
  return made;
}

/**
 * The published package names a bundle for the engine's host. Its parts are the same code, and only they can be patched,
 * and evaluated anew for each generation.
 */
const unbundled = (path: string): string => path.replace(`${root}provider/bundle/`, `${root}provider/dist/`);

interface Module {
  exports: unknown;
}

/** The modules of one generation: it evaluates its own copy of the product, and shares all dependencies. */
export class Modules {
  readonly #loaded = new Map<string, Module>();
  readonly #globals: Values;
  readonly #patch: GenerationOptions["patch"];
  readonly #replaced: Readonly<Record<string, unknown>>;

  constructor(globals: Values, patch: GenerationOptions["patch"], life: ProcessLife) {
    this.#globals = globals;
    this.#patch = patch;
    const grpc = grpcOf(life);
    this.#replaced = {
      "node:module": moduleOf(grpc),
      undici: undiciOf(life),
      "@grpc/grpc-js": grpc,
      "node:async_hooks": asyncHooksOf(life),
      "@pulumi/pulumi/proto/engine_grpc_pb": engineClientsOf(life),
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

  /** Evaluates the handler text in the state, as the host does. */
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
      const found = resolveModule(path, name);
      return "own" in found ? this.load(found.own) : found.shared;
    };
    return Object.assign(load, {
      // Always resolves to this checkout's product.
      resolve: (name: string) => {
        const known = resolutions.get(name) ?? createRequire(`${root}package.json`).resolve(name);
        resolutions.set(name, known);
        return known;
      },
    });
  }
}
