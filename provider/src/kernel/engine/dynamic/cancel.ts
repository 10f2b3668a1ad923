import { EventEmitter } from "node:events";

/** The engine's request to cancel, sent at the first Ctrl-C. */
const CANCEL = "/pulumirpc.ResourceProvider/Cancel";

/**
 * Calls `cancelled` when the engine cancels the run. The host of dynamic providers ignores that request and does not
 * expose its server, so this finds the server among the process's active handles and only listens to it. If it is not
 * found, operations run to their end.
 */
export function watchCancellation(cancelled: () => void): void {
  for (const server of http2Servers()) {
    server.on("stream", (_stream: unknown, headers: unknown) => {
      if (typeof headers === "object" && headers !== null && Reflect.get(headers, ":path") === CANCEL)
        cancelled();
    });
  }
}

/** Finds servers by the name of their class, which Node does not export. */
function http2Servers(): NodeJS.EventEmitter[] {
  const list: unknown = Reflect.get(process, "_getActiveHandles");
  const handles: unknown = typeof list === "function" ? Reflect.apply(list, process, []) : [];
  return (Array.isArray(handles) ? handles : []).filter(
    (handle) => handle instanceof EventEmitter && handle.constructor.name === "Http2Server",
  );
}
