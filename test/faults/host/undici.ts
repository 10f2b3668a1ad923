import { createRequire } from "node:module";
import { root } from "./compile.js";
import type { ProcessLife } from "./process-life.js";

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
/** A handler of undici 7; only its calls matter here. */
type Handler = { readonly [method in (typeof METHODS)[number]]?: Callback };

interface Undici {
  readonly Agent: new (
    options?: object,
  ) => {
    dispatch(options: object, handler: Handler): boolean;
    destroy(): Promise<void>;
  };
}

/** Returns undici with agents that end with the process. Virtual time stands still while a request is in flight. */
export function undiciOf(life: ProcessLife): unknown {
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

/** Returns a handler that calls `over` after its last event. */
function untilOver(handler: Handler, over: () => void): Handler {
  let done = false;
  const end = () => {
    if (done) return;
    done = true;
    // The reaction to the response runs first.
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
