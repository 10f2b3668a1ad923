const watched = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Runs a callback when a signal is aborted. Returns a function that unregisters the callback. All callbacks of one
 * signal share one listener, so that Node does not warn of a leak when a program gives one signal to a thousand calls.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  const callbacks = watched.get(signal) ?? listen(signal);
  // Wrapped, so that the same function can register twice.
  const entry = () => run();
  callbacks.add(entry);
  return () => {
    callbacks.delete(entry);
    if (callbacks.size === 0 && watched.get(signal) === callbacks) stop(signal);
  };
}

function listen(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  watched.set(signal, callbacks);
  signal.addEventListener("abort", aborted);
  return callbacks;
}

function stop(signal: AbortSignal): void {
  watched.delete(signal);
  signal.removeEventListener("abort", aborted);
}

function aborted(this: AbortSignal): void {
  const callbacks = watched.get(this);
  stop(this);
  for (const run of callbacks ?? []) run();
}
