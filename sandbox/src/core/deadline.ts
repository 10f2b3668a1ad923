/**
 * Runs a function with a signal that aborts with a `TimeoutError` after a time, or earlier with `parent`. It avoids
 * `AbortSignal.any` over `AbortSignal.timeout`: on Node 20, garbage collection can remove the timeout's signal, which
 * then never aborts. Here the event loop's timer keeps it alive.
 */
export async function withDeadline<T>(
  milliseconds: number,
  parent: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`No answer within ${milliseconds / 1000} seconds.`, "TimeoutError"));
  }, milliseconds);
  parent.addEventListener("abort", follow, { once: true });
  if (parent.aborted) follow();
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
    parent.removeEventListener("abort", follow);
  }
}
