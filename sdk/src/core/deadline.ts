import { onAbort } from "./abort-signal.js";
import type { CloudServicesError, Outcome } from "./base-error.js";
import type { Clock } from "./clock.js";
import { AbortError, TimeoutError } from "./errors.js";
import { outcomeAdvice, outcomeHint } from "./outcome-hint.js";
import type { Method, OutgoingRequest } from "./request.js";

/** The limits of each call of one piece of work. They apply in addition to the options of a call. */
export interface CallLimits {
  /** Aborts calls, also in flight. */
  readonly signal?: AbortSignal | undefined;
  /** Keeps requests from being sent; requests in flight finish. */
  readonly stop?: AbortSignal | undefined;
  /** Returns the milliseconds that a call may take that begins now. At 0 nothing is sent. */
  readonly remaining?: ((method: Method) => number) | undefined;
}

/** Returns the error for an outcome, which is known only when the request ends. */
type MakeError = (outcome: Outcome) => CloudServicesError;

type Deadlined = Pick<
  OutgoingRequest,
  "method" | "path" | "signal" | "stop" | "timeout" | "deadline" | "deadlineAt"
>;

/**
 * Calls `stop` once, when a signal of the request is aborted or its time is over. Returns a function that ends the
 * watch. Every caller ends it, so that no listeners pile up on a signal that outlives the request.
 *
 * @param inFlight - Whether the request is being sent. If so, the timeout of the attempt applies too, and the signal
 * `stop` of the request does not.
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

/** Resolves after a pause. Rejects when the request ends before. */
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

/** Settles as the promise does. Rejects when the request ends before. */
export function beforeDeadline<T>(promise: Promise<T>, request: Deadlined, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = watchDeadline(request, clock, false, (makeError) => reject(makeError("notSent")));
    promise.then(resolve, reject).finally(end);
  });
}

/** Throws when the request is aborted or has no time left. */
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
