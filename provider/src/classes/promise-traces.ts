/*
 * Pulumi's library formats a stack trace, with source maps, for each of several promises of each property of a resource.
 * Nothing but its report of leaked promises shows them, where PULUMI_DEBUG_PROMISE_LEAKS is set. Formatting them takes
 * most of the time of a program that declares many resources.
 */

/** Omits these traces until the current turn of the event loop ends. Every other trace stays as it is. */
export function omitPromiseTraces(): void {
  const { prepareStackTrace: original } = Error;
  // Without such a function, formatting is cheap.
  if (original === undefined || original === installed || process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) return;
  const prepare: typeof original = (error, sites) =>
    sites[0]?.getFunctionName() === "debuggablePromise" ? String(error) : original.call(Error, error, sites);
  installed = prepare;
  Error.prepareStackTrace = prepare;
  queueMicrotask(() => {
    if (Error.prepareStackTrace === prepare) Error.prepareStackTrace = original;
  });
}

let installed: typeof Error.prepareStackTrace;
