/**
 * Runs something under a signal that aborts with a `TimeoutError` when its time is over, and earlier with `parent`.
 * Never `AbortSignal.any` over `AbortSignal.timeout`: on Node 20 the garbage collector may take the timeout's signal
 * while it is waited for, and it then never aborts. Here a timer of the event loop holds on to it.
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
