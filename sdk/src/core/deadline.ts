import { onAbort } from "./abort-signal.js";
import type { CloudServicesError, Outcome } from "./base-error.js";
import type { Clock } from "./clock.js";
import { AbortError, TimeoutError } from "./errors.js";
import { outcomeAdvice, outcomeHint } from "./outcome-hint.js";
import type { Method, OutgoingRequest } from "./request.js";

/** What bounds each call of one piece of work; it goes together with what is said for the single call. */
export interface CallLimits {
  /** Gives calls up, also in flight. */
  readonly signal?: AbortSignal | undefined;
  /** Keeps requests from being sent; those in flight finish. */
  readonly stop?: AbortSignal | undefined;
  /** How many milliseconds a call that begins now may take. With none left, nothing is sent. */
  readonly remaining?: ((method: Method) => number) | undefined;
}

/** Makes the error, once it is known whether anything had been sent. */
type MakeError = (outcome: Outcome) => CloudServicesError;

type Deadlined = Pick<
  OutgoingRequest,
  "method" | "path" | "signal" | "stop" | "timeout" | "deadline" | "deadlineAt"
>;

/**
 * Calls `stop` once, when the caller's signal is aborted or the time is up. The answer ends the watch; every
 * watch is ended, so that listeners do not pile up on a signal that lives longer than the request.
 *
 * @param inFlight whether the request is being sent: then the timeout of one attempt counts as well as the deadline of
 * the whole call, and the request is no longer stopped by its `stop`.
 */
export function watchDeadline(
  request: Deadlined,
  clock: Clock,
  inFlight: boolean,
  stop: (makeError: MakeError) => void,
): () => void {
  const { method, path } = request;
  const left = request.deadlineAt - clock.now();
  const limit = inFlight && request.timeout < left ? request.timeout : left;

  const cancel = clock.after(Math.max(0, limit), () => {
    end();
    const what =
      limit === left ? `its deadline of ${request.deadline} ms` : `the timeout of ${request.timeout} ms`;
    stop((outcome) => {
      const message = `${method} ${path}: no response within ${what}${outcomeHint(method, outcome)}.`;
      return new TimeoutError({ message, advice: outcomeAdvice(method, outcome), outcome, method, path });
    });
  });
  const forget: (() => void)[] = [];
  const end = () => {
    cancel();
    for (const each of forget) each();
  };
  const aborted = (signal: AbortSignal) => {
    end();
    stop((outcome) => abortError(request, signal, outcome));
  };
  const signals = [request.signal, inFlight ? undefined : request.stop].filter(
    (signal) => signal !== undefined,
  );
  const already = signals.find((signal) => signal.aborted);
  if (already) aborted(already);
  else for (const signal of signals) forget.push(onAbort(signal, () => aborted(signal)));
  return end;
}

/** Waits, but no longer than the request may. */
export function pause(milliseconds: number, request: Deadlined, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(milliseconds, () => {
      end();
      resolve();
    });
    const end = watchDeadline(request, clock, false, (makeError) => {
      cancel();
      reject(makeError("notSent"));
    });
  });
}

/** Awaits something that knows no bounds of its own, but no longer than the request may. */
export function beforeDeadline<T>(promise: Promise<T>, request: Deadlined, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = watchDeadline(request, clock, false, (makeError) => reject(makeError("notSent")));
    promise.then(resolve, reject).finally(end);
  });
}

/** Refuses to begin what the caller has given up already, or what has no time left. */
export function throwIfEnded(request: Deadlined, clock: Clock): void {
  const { method, path, signal, stop } = request;
  const aborted = signal?.aborted ? signal : stop?.aborted ? stop : undefined;
  if (aborted) throw abortError(request, aborted, "notSent");
  if (request.deadlineAt > clock.now()) return;
  const message = `${method} ${path}: its deadline has passed${outcomeHint(method, "notSent")}.`;
  throw new TimeoutError({ message, outcome: "notSent", method, path });
}

function abortError({ method, path }: Deadlined, { reason }: AbortSignal, outcome: Outcome): AbortError {
  const message = `${method} ${path}: aborted by the caller${outcomeHint(method, outcome)}.`;
  const advice = outcomeAdvice(method, outcome);
  return new AbortError({ message, advice, outcome, method, path, cause: reason });
}
