import { EventEmitter } from "node:events";

/** The engine's request to end what is under way, as the first Ctrl-C makes it. */
const CANCEL = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Calls `cancelled` when the engine cancels the run. The host of dynamic providers answers that request itself, does
 * nothing, and hands its server to nobody; the server is found among what keeps this process alive, and only listened
 * to. Where it cannot be found, everything is as without this: operations go on to their ends.
 */
export function watchCancellation(cancelled: () => void): void {
  for (const server of http2Servers()) {
    server.on("stream", (_stream: unknown, headers: unknown) => {
      if (typeof headers === "object" && headers !== null && Reflect.get(headers, ":path") === CANCEL)
        cancelled();
    });
  }
}

/** By name: Node does not export the class. */
function http2Servers(): NodeJS.EventEmitter[] {
  const list: unknown = Reflect.get(process, "_getActiveHandles");
  const handles: unknown = typeof list === "function" ? Reflect.apply(list, process, []) : [];
  return (Array.isArray(handles) ? handles : []).filter(
    (handle) => handle instanceof EventEmitter && handle.constructor.name === "Http2Server",
  );
}
