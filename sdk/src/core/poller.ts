import { CloudServicesError } from "./base-error.js";
import type { Clock } from "./clock.js";
import { watchDeadline } from "./deadline.js";
import { AbortError, FailedStateError, NotFoundError, WaitTimeoutError } from "./errors.js";
import { redactText } from "./redact.js";
import { isTransient } from "./transient.js";
import type { Poll, PollTarget, Readiness, WaitOptions } from "./wait-options.js";

/** What the wait knows of a resource of any kind. */
export interface Polled {
  readonly id: string;
  readonly status?: string | undefined;
  readonly statusReason?: string | undefined;
}

interface Waiter<T> {
  readonly id: string;
  readonly judge: (resource: T) => Readiness;
  readonly onPoll: ((poll: Poll<T>) => void) | undefined;
  readonly goal: "state" | "absence";
  readonly startedAt: number;
  interval: number;
  dueAt: number;
  inFlight: boolean;
  attempts: number;
  seen: T | undefined;
  lastError: CloudServicesError | undefined;
  resolve(resource: T | undefined): void;
  reject(error: unknown): void;
}

const DEFAULT_TIMEOUT = 900_000;
const LONGEST_INTERVAL = 10_000;
/** How long a resource that was never seen may be unknown to the service: lists and replicas may lag behind. */
const NEW_RESOURCE_GRACE = 15_000;
/** From so many resources on, one list is cheaper than a look at each. */
const MIN_FOR_LIST = 3;
const MAX_LIST_FAILURES = 3;

/**
 * All waits of one kind in one client. Those that are due at about the same time share their requests: few are
 * looked at one by one, many by one list.
 */
export class Poller<T extends Polled> {
  readonly #kind: PollTarget<T>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #firstInterval: number;
  readonly #waiters = new Set<Waiter<T>>();
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  #listable = true;
  #listFailures = 0;
  #pages = 1;

  constructor(
    kind: PollTarget<T>,
    dependencies: { readonly clock: Clock; readonly random: () => number; readonly pollInterval: number },
  ) {
    this.#kind = kind;
    this.#clock = dependencies.clock;
    this.#random = dependencies.random;
    this.#firstInterval = dependencies.pollInterval;
  }

  /** Waits until `judge` reports the resource ready. */
  async waitForState(id: string, judge: (resource: T) => Readiness, options: WaitOptions<T>): Promise<T> {
    const resource = await this.#wait(id, judge, "state", options);
    if (resource === undefined)
      throw new TypeError(`${this.#kind.noun} ${id} settled without having been seen`);
    return resource;
  }

  /** Waits until the service proves that the resource does not exist. */
  async waitUntilDeleted(id: string, options: WaitOptions<T>): Promise<void> {
    await this.#wait(id, () => "pending", "absence", options);
  }

  #wait(
    id: string,
    judge: (resource: T) => Readiness,
    goal: Waiter<T>["goal"],
    { timeout = DEFAULT_TIMEOUT, signal, interval = this.#firstInterval, onPoll }: WaitOptions<T>,
  ): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const startedAt = this.#clock.now();
      const leave = () => {
        end();
        this.#waiters.delete(waiter);
        this.#setAlarm();
      };
      const waiter: Waiter<T> = {
        id,
        judge,
        onPoll,
        goal,
        startedAt,
        interval,
        dueAt: startedAt,
        inFlight: false,
        attempts: 0,
        seen: undefined,
        lastError: undefined,
        resolve: (resource) => {
          leave();
          resolve(resource);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      const path = this.#kind.path(id);
      const deadline = {
        method: "GET" as const,
        path,
        ...(signal !== undefined && { signal }),
        timeout,
        deadline: timeout,
        deadlineAt: startedAt + timeout,
      };
      this.#waiters.add(waiter);
      const end = watchDeadline(deadline, this.#clock, false, (makeError) => {
        const error = makeError("rejected");
        // An aborted signal may call before `end` is there.
        queueMicrotask(() =>
          waiter.reject(error instanceof AbortError ? error : this.#timeoutError(waiter, timeout, path)),
        );
      });
      if (!signal?.aborted) this.#setAlarm();
    });
  }

  /** One timer for all: it rings when the first waiter is due. */
  #setAlarm(): void {
    let at = Number.POSITIVE_INFINITY;
    for (const waiter of this.#waiters) if (!waiter.inFlight) at = Math.min(at, waiter.dueAt);
    if (at === this.#alarm?.at) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const cancel = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      this.#alarm = undefined;
      void this.#pollDue().finally(() => this.#setAlarm());
      this.#setAlarm();
    });
    this.#alarm = { at, cancel };
  }

  /** One round: everybody who is due, and who is nearly due comes along. */
  async #pollDue(): Promise<void> {
    const now = this.#clock.now();
    const due = [...this.#waiters].filter(
      (waiter) => !waiter.inFlight && waiter.dueAt - (waiter.attempts > 0 ? waiter.interval / 2 : 0) <= now,
    );
    for (const waiter of due) waiter.inFlight = true;
    const byId = grouped(due);
    const missing = await this.#pollByList(byId);
    await Promise.all(missing.map((id) => this.#pollOne(id, byId.get(id) ?? [])));
  }

  /** Looks at many in one list, where that is worth it; the answer is who was not found or not seen in full. */
  async #pollByList(byId: ReadonlyMap<string, Waiter<T>[]>): Promise<string[]> {
    const left = new Set(byId.keys());
    if (!this.#listable || left.size < MIN_FOR_LIST || left.size <= this.#pages) return [...left];
    let pages = 0;
    let seen = 0;
    let withStatus = 0;
    try {
      for await (const page of this.#kind.list({ maxRetries: 0 }).pages()) {
        pages += 1;
        for (const resource of page.items) {
          const waiters = left.has(resource.id) ? (byId.get(resource.id) ?? []) : [];
          if (waiters.length === 0) continue;
          seen += 1;
          if (resource.status !== undefined) withStatus += 1;
          if (waiters.some((waiter) => waiter.judge(resource) === "incomplete")) continue;
          left.delete(resource.id);
          for (const waiter of waiters) this.#onResource(waiter, resource);
        }
        if (left.size === 0) break;
      }
    } catch (error) {
      // A list that is not to be had, or fails time and again, is not asked for any more: they are looked at one by one.
      this.#listFailures += 1;
      const passing = error instanceof CloudServicesError && isTransient(error);
      this.#listable = passing && this.#listFailures < MAX_LIST_FAILURES;
      if (!this.#listable) return [...left];
      for (const id of left) for (const waiter of byId.get(id) ?? []) this.#onError(waiter, error);
      return [];
    }
    this.#listFailures = 0;
    this.#pages = pages;
    // Items without a status would only make every look cost one request more.
    if (seen > 0 && withStatus === 0) this.#listable = false;
    return [...left];
  }

  async #pollOne(id: string, waiters: readonly Waiter<T>[]): Promise<void> {
    const still = waiters.filter((waiter) => this.#waiters.has(waiter));
    if (still.length === 0) return;
    try {
      const resource = await this.#kind.get(id, { maxRetries: 0 });
      for (const waiter of still) this.#onResource(waiter, resource);
    } catch (error) {
      for (const waiter of still) this.#onError(waiter, error);
    }
  }

  #onResource(waiter: Waiter<T>, resource: T): void {
    if (!this.#waiters.has(waiter)) return;
    waiter.seen = resource;
    waiter.lastError = undefined;
    this.#report(waiter, { resource, ...(resource.status !== undefined && { status: resource.status }) });
    const readiness = waiter.judge(resource);
    if (readiness === "ready") waiter.resolve(resource);
    else if (readiness === "failed") waiter.reject(this.#failedStateError(resource));
    else this.#schedule(waiter);
  }

  #onError(waiter: Waiter<T>, error: unknown): void {
    if (!this.#waiters.has(waiter)) return;
    if (!(error instanceof CloudServicesError)) {
      waiter.reject(error);
      return;
    }
    this.#report(waiter, { error });
    waiter.lastError = error;
    if (error instanceof NotFoundError) {
      const isNew = waiter.seen === undefined && this.#elapsed(waiter) < NEW_RESOURCE_GRACE;
      if (waiter.goal === "absence") waiter.resolve(undefined);
      else if (isNew) this.#schedule(waiter);
      else waiter.reject(error);
    } else if (!isTransient(error)) waiter.reject(error);
    else this.#schedule(waiter);
  }

  #schedule(waiter: Waiter<T>): void {
    waiter.inFlight = false;
    waiter.dueAt = this.#clock.now() + waiter.interval * (0.9 + this.#random() / 5);
    waiter.interval = Math.max(waiter.interval, Math.min(LONGEST_INTERVAL, waiter.interval * 1.5));
  }

  #report(waiter: Waiter<T>, found: Pick<Poll<T>, "resource" | "status" | "error">): void {
    waiter.attempts += 1;
    try {
      waiter.onPoll?.({ id: waiter.id, attempt: waiter.attempts, elapsed: this.#elapsed(waiter), ...found });
    } catch (error) {
      waiter.reject(error);
    }
  }

  #elapsed(waiter: Waiter<T>): number {
    return this.#clock.now() - waiter.startedAt;
  }

  #failedStateError(resource: T): FailedStateError {
    const status = resource.status ?? "failed";
    const reason = resource.statusReason === undefined ? undefined : redactText(resource.statusReason, []);
    const why = reason === undefined ? "the service gave no reason" : reason.replace(/\.$/, "");
    const message = `${this.#kind.noun} ${resource.id} is ${status}: ${why}.`;
    return new FailedStateError(
      { message, method: "GET", path: this.#kind.path(resource.id) },
      status,
      reason,
      [this.#kind.deletion(resource.id)],
    );
  }

  #timeoutError(waiter: Waiter<T>, timeout: number, path: string): WaitTimeoutError {
    const status = waiter.seen?.status;
    const seen =
      waiter.seen === undefined ? "it was never seen" : `its last status is ${status ?? "unknown"}`;
    const failing =
      waiter.lastError === undefined
        ? ""
        : `, and the last poll failed: ${waiter.lastError.message.replace(/\.$/, "")}`;
    const wanted = waiter.goal === "absence" ? "deleted" : "ready";
    const message = `${this.#kind.noun} ${waiter.id} is not ${wanted} after ${timeout} ms; ${seen}${failing}.`;
    const advice = "The service continues; wait again with a longer timeout.";
    const facts = { message, advice, method: "GET", path, cause: waiter.lastError };
    return new WaitTimeoutError(facts, { status, seen: waiter.seen });
  }
}

function grouped<T>(waiters: readonly Waiter<T>[]): Map<string, Waiter<T>[]> {
  const byId = new Map<string, Waiter<T>[]>();
  for (const waiter of waiters) byId.set(waiter.id, [...(byId.get(waiter.id) ?? []), waiter]);
  return byId;
}
