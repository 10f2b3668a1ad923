import { CloudServicesError } from "./base-error.js";
import type { Clock } from "./clock.js";
import { watchDeadline } from "./deadline.js";
import { AbortError, FailedStateError, NotFoundError, WaitTimeoutError } from "./errors.js";
import type { Goal, Polled, PollTarget } from "./poll-target.js";
import { redactText } from "./redact.js";
import { isTransient } from "./transient.js";
import type { Poll, WaitOptions } from "./wait-options.js";

const DEFAULT_TIMEOUT = 900_000;

export interface WaiterContext<T> {
  readonly target: PollTarget<T>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Milliseconds from the first poll to the second. */
  readonly pollInterval: number;
}

/** One wait for one resource: when it polls next, what it has seen, and how it ends. */
export class Waiter<T extends Polled> {
  readonly id: string;
  readonly goal: Goal<T>;
  /** Resolves with the resource; with undefined when the resource is proven deleted and that is the goal. */
  readonly result: Promise<T | undefined>;
  /** When the next poll is due, by the client's clock. */
  dueAt: number;
  /** Whether a poll is in flight. */
  inFlight = false;
  readonly #context: WaiterContext<T>;
  readonly #onPoll: ((poll: Poll<T>) => void) | undefined;
  readonly #startedAt: number;
  readonly #stopWatching: () => void;
  /** Milliseconds. */
  readonly #interval: number;
  #pause: number;
  #attempts = 0;
  #lastSeen: T | undefined;
  #lastError: CloudServicesError | undefined;
  #end: ((run: () => void) => void) | undefined;
  #resolve: (resource: T | undefined) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  /** @param onEnd - Called once, before the result settles. */
  constructor(
    id: string,
    goal: Goal<T>,
    options: WaitOptions<T> & { readonly firstPollAt: number },
    context: WaiterContext<T>,
    onEnd: (waiter: Waiter<T>) => void,
  ) {
    const { timeout = DEFAULT_TIMEOUT, signal, interval = context.pollInterval, onPoll } = options;
    const { clock } = context;
    this.id = id;
    this.goal = goal;
    this.#context = context;
    this.#onPoll = onPoll;
    this.#interval = interval;
    this.#pause = interval;
    this.#startedAt = clock.now();
    this.dueAt = Math.max(this.#startedAt, Math.min(options.firstPollAt, this.#startedAt + timeout / 2));
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#end = (settle) => {
      this.#end = undefined;
      this.#stopWatching();
      onEnd(this);
      settle();
    };
    const bounds = {
      method: "GET" as const,
      path: context.target.path(id),
      ...(signal !== undefined && { signal }),
      timeout,
      deadline: timeout,
      deadlineAt: this.#startedAt + timeout,
    };
    this.#stopWatching = watchDeadline(bounds, clock, false, (makeError) => {
      const error = makeError("rejected");
      // A signal that is aborted already calls back before the watch can be stopped.
      queueMicrotask(() => this.#fail(error instanceof AbortError ? error : this.#timeoutError(timeout)));
    });
  }

  get isEnded(): boolean {
    return this.#end === undefined;
  }

  /** Whether a poll of this wait is due. A later poll may run up to half a pause early, to share the request of others. */
  isDue(now: number): boolean {
    return !this.inFlight && this.dueAt - (this.#attempts > 0 ? this.#pause / 2 : 0) <= now;
  }

  onResource(resource: T): void {
    if (this.isEnded) return;
    this.#lastSeen = resource;
    this.#lastError = undefined;
    this.#report({ resource, ...(resource.status !== undefined && { status: resource.status }) });
    const readiness = this.goal.judge(resource);
    if (readiness === "ready") this.#succeed(resource);
    else if (readiness === "failed") this.#fail(this.#failedStateError(resource));
    else this.#schedule();
  }

  onError(error: unknown): void {
    if (this.isEnded) return;
    if (!(error instanceof CloudServicesError)) {
      this.#fail(error);
      return;
    }
    this.#report({ error });
    this.#lastError = error;
    if (error instanceof NotFoundError) {
      const isNew = this.#lastSeen === undefined && this.#elapsed() < this.#context.target.newResourceGrace;
      if (this.goal.endsWhenDeleted) this.#succeed(undefined);
      else if (isNew) this.#schedule();
      else this.#fail(error);
    } else if (isTransient(error)) this.#schedule();
    else this.#fail(error);
  }

  #schedule(): void {
    const { clock, random, target } = this.#context;
    const { share, longest } = target.pauses;
    this.inFlight = false;
    this.#pause = Math.max(this.#interval, Math.min(longest, this.#elapsed() * share));
    this.dueAt = clock.now() + this.#pause * (0.9 + random() / 5);
  }

  #report(found: Pick<Poll<T>, "resource" | "status" | "error">): void {
    this.#attempts += 1;
    try {
      this.#onPoll?.({ id: this.id, attempt: this.#attempts, elapsed: this.#elapsed(), ...found });
    } catch (error) {
      this.#fail(error);
    }
  }

  #elapsed(): number {
    return this.#context.clock.now() - this.#startedAt;
  }

  #succeed(resource: T | undefined): void {
    this.#end?.(() => this.#resolve(resource));
  }

  #fail(error: unknown): void {
    this.#end?.(() => this.#reject(error));
  }

  #failedStateError(resource: T): FailedStateError {
    const { noun, path, deletion } = this.#context.target;
    const status = resource.status ?? "failed";
    const reason = resource.statusReason === undefined ? undefined : redactText(resource.statusReason, []);
    const why = reason === undefined ? "the service gave no reason" : reason.replace(/\.$/, "");
    return new FailedStateError(
      { message: `${noun} ${this.id} is ${status}: ${why}.`, method: "GET", path: path(this.id) },
      status,
      reason,
      deletion === undefined ? [] : [deletion(this.id)],
    );
  }

  #timeoutError(timeout: number): WaitTimeoutError {
    const { noun, path } = this.#context.target;
    const seen = this.#lastSeen;
    const cause = this.#lastError;
    const failing =
      cause === undefined ? "" : `, and the last poll failed: ${cause.message.replace(/\.$/, "")}`;
    const message = `${noun} ${this.id} ${this.goal.unmet(timeout, seen)}${failing}.`;
    return new WaitTimeoutError(
      { message, advice: this.goal.advice, method: "GET", path: path(this.id), cause },
      { status: seen?.status, seen },
    );
  }
}
