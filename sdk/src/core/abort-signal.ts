const watched = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Runs something when a signal is aborted, with one listener for all that wait for the same signal: a program that
 * gives one signal to a thousand calls is not warned of a leak that is none. The answer takes it back.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const waiting = watched.get(signal) ?? listen(signal);
  // Wrapped, so that the same function may wait twice.
  const entry = () => run();
  waiting.add(entry);
  return () => {
    waiting.delete(entry);
    if (waiting.size === 0 && watched.get(signal) === waiting) stop(signal);
  };
}

function listen(signal: AbortSignal): Set<() => void> {
  const waiting = new Set<() => void>();
  watched.set(signal, waiting);
  signal.addEventListener("abort", aborted);
  return waiting;
}

function stop(signal: AbortSignal): void {
  watched.delete(signal);
  signal.removeEventListener("abort", aborted);
}

function aborted(this: AbortSignal): void {
  const waiting = watched.get(this);
  stop(this);
  for (const run of waiting ?? []) run();
}
