import { createRequire } from "node:module";
import { root } from "./compile.js";
import type { Life } from "./life.js";

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
export function undiciOf(life: Life): unknown {
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
