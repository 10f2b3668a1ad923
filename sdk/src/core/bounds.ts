import { onAbort } from "./aborts.js";
import type { Clock } from "./clock.js";
import type { CloudServicesError, Outcome } from "./error.js";
import { AbortError, TimeoutError } from "./errors.js";
import { fate } from "./fate.js";
import type { OutgoingRequest } from "./request.js";

/** Makes the error, once it is known whether anything had been sent. */
type Verdict = (outcome: Outcome) => CloudServicesError;

type Bounded = Pick<OutgoingRequest, "method" | "path" | "signal" | "timeout" | "deadline" | "deadlineAt">;

/**
 * Calls `stop` once, when the caller's signal is aborted or the time is up. The answer ends the watch; every
 * watch is ended, so that listeners do not pile up on a signal that lives longer than the request.
 *
 * @param attempt whether the timeout of one attempt counts, or only the deadline of the whole call.
 */
export function watchBounds(
  request: Bounded,
  clock: Clock,
  attempt: boolean,
  stop: (verdict: Verdict) => void,
): () => void {
  const { signal, method, path } = request;
  const left = request.deadlineAt - clock.now();
  const limit = attempt && request.timeout < left ? request.timeout : left;

  const cancel = clock.after(Math.max(0, limit), () => {
    end();
    const what =
      limit === left ? `its deadline of ${request.deadline} ms` : `the timeout of ${request.timeout} ms`;
    stop((outcome) => {
      const message = `${method} ${path}: no answer within ${what}; ${fate(method, outcome)}.`;
      return new TimeoutError({ message, outcome, method, path });
    });
  });
  const aborted = () => {
    end();
    stop((outcome) => abortError(request, outcome));
  };
  let forget = () => {};
  const end = () => {
    cancel();
    forget();
  };
  if (signal?.aborted) aborted();
  else if (signal !== undefined) forget = onAbort(signal, aborted);
  return end;
}

/** Waits, but no longer than the request may. */
export function pause(milliseconds: number, request: Bounded, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(milliseconds, () => {
      end();
      resolve();
    });
    const end = watchBounds(request, clock, false, (verdict) => {
      cancel();
      reject(verdict("notSent"));
    });
  });
}

/** Awaits something that knows no bounds of its own, but no longer than the request may. */
export function within<T>(promise: Promise<T>, request: Bounded, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = watchBounds(request, clock, false, (verdict) => reject(verdict("notSent")));
    promise.then(resolve, reject).finally(end);
  });
}

/** Refuses to begin what the caller has given up already. */
export function refuseAborted(request: Bounded): void {
  if (request.signal?.aborted) throw abortError(request, "notSent");
}

function abortError({ method, path, signal }: Bounded, outcome: Outcome): AbortError {
  const message = `${method} ${path}: aborted by the caller; ${fate(method, outcome)}.`;
  return new AbortError({ message, outcome, method, path, cause: signal?.reason });
}
