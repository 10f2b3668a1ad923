import { CloudServicesError } from "./base-error.js";
import type { Clock } from "./clock.js";
import type { Goal, Polled, PollTarget, Readiness } from "./poll-target.js";
import type { RequiredNames } from "./shapes.js";
import { isTransient } from "./transient.js";
import type { WaitOptions } from "./wait-options.js";
import { Waiter, type WaiterContext } from "./waiter.js";

/** From this many resources on, one list is cheaper than a request for each. */
const MIN_FOR_LIST = 3;
const MAX_LIST_FAILURES = 3;

/**
 * All waits for one kind of resource in one client. Waits that are due at about the same time share their requests: a
 * few resources are polled one by one, many by one list.
 */
export class Poller<T extends Polled> {
  readonly #context: WaiterContext<T>;
  readonly #waiters = new Set<Waiter<T>>();
  #alarm: { readonly at: number; readonly cancel: () => void } | undefined;
  #listable: boolean;
  #listFailures = 0;
  #pages = 1;
  /** When the last list that served several waits was sent. */
  #listedAt = Number.NEGATIVE_INFINITY;

  constructor(
    target: PollTarget<T>,
    {
      clock,
      random,
      pollInterval,
    }: { readonly clock: Clock; readonly random: () => number; readonly pollInterval: number },
  ) {
    this.#context = { target, clock, random, pollInterval };
    this.#listable = target.list !== undefined;
  }

  /** Waits until `judge` reports the resource ready. */
  waitForState(id: string, judge: (resource: T) => Readiness, options: WaitOptions<T>): Promise<T> {
    const goal: Goal<T> = {
      judge,
      endsWhenDeleted: false,
      unmet: (timeout, lastSeen) => `is not ready after ${timeout} ms; ${lastStatus(lastSeen)}`,
      advice: CONTINUES,
    };
    return this.waitForGoal(id, goal, options);
  }

  /** Waits until `judge` reports the resource ready and it has every required member of `R`. */
  async waitUntilComplete<R extends T>(
    id: string,
    judge: (resource: T) => Readiness,
    required: RequiredNames<R>,
    options: WaitOptions<T>,
  ): Promise<R> {
    const missingIn = (resource: T): string[] => {
      const values = new Map<string, unknown>(Object.entries(resource));
      return Object.keys(required).filter((name) => values.get(name) === undefined);
    };
    const isComplete = (resource: T): resource is R => missingIn(resource).length === 0;
    const goal: Goal<T> = {
      judge(resource) {
        const readiness = judge(resource);
        return readiness === "ready" && !isComplete(resource) ? "incomplete" : readiness;
      },
      endsWhenDeleted: false,
      unmet(timeout, lastSeen) {
        const lacks = lastSeen !== undefined && judge(lastSeen) === "ready" ? missingIn(lastSeen) : [];
        const without = lacks.length === 0 ? "" : `, and it has no ${lacks.join(", ")}`;
        return `is not ready after ${timeout} ms; ${lastStatus(lastSeen)}${without}`;
      },
      advice: CONTINUES,
    };
    const resource = await this.waitForGoal(id, goal, options);
    if (isComplete(resource)) return resource;
    throw new TypeError(
      `${this.#context.target.noun} ${id} is ready without ${missingIn(resource).join(", ")}`,
    );
  }

  /** Waits until the service proves that the resource does not exist. */
  async waitUntilDeleted(id: string, options: WaitOptions<T>): Promise<void> {
    const goal: Goal<T> = {
      judge: () => "pending",
      endsWhenDeleted: true,
      unmet: (timeout, lastSeen) => `is not deleted after ${timeout} ms; ${lastStatus(lastSeen)}`,
      advice: CONTINUES,
    };
    await this.#wait(id, goal, options);
  }

  /** Waits until the judge of a goal reports the resource ready. */
  async waitForGoal(id: string, goal: Goal<T>, options: WaitOptions<T>): Promise<T> {
    const resource = await this.#wait(id, goal, options);
    if (resource !== undefined) return resource;
    throw new TypeError(`${this.#context.target.noun} ${id} is ready without having been seen`);
  }

  #wait(id: string, goal: Goal<T>, options: WaitOptions<T>): Promise<T | undefined> {
    // A new wait joins the next poll of those that share a list.
    const isShared = this.#waiters.size >= MIN_FOR_LIST - 1;
    const { interval = this.#context.pollInterval } = options;
    const firstPollAt = isShared ? this.#listedAt + interval : 0;
    const waiter = new Waiter(id, goal, { ...options, firstPollAt }, this.#context, (ended) => {
      this.#waiters.delete(ended);
      this.#setAlarm();
    });
    this.#waiters.add(waiter);
    if (!options.signal?.aborted) this.#setAlarm();
    return waiter.result;
  }

  /** Sets the one timer of all waiters to when the first of them is due. */
  #setAlarm(): void {
    const { clock } = this.#context;
    let at = Number.POSITIVE_INFINITY;
    for (const waiter of this.#waiters) if (!waiter.inFlight) at = Math.min(at, waiter.dueAt);
    if (at === this.#alarm?.at) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (at === Number.POSITIVE_INFINITY) return;
    const cancel = clock.after(Math.max(0, at - clock.now()), () => {
      this.#alarm = undefined;
      void this.#pollDue().finally(() => this.#setAlarm());
      this.#setAlarm();
    });
    this.#alarm = { at, cancel };
  }

  async #pollDue(): Promise<void> {
    const now = this.#context.clock.now();
    const idle = [...this.#waiters].filter((waiter) => !waiter.inFlight);
    const list = this.#listFor(idle);
    const due = idle.filter((waiter) => waiter.isDue(now));
    // One list serves all, so that they stay in step. It is sent after each of these waits began.
    const polled = list === undefined ? due : idle;
    for (const waiter of polled) waiter.inFlight = true;
    const missing = list === undefined ? due : await this.#pollByList(list, polled, now);
    const byId = grouped(missing.filter((waiter) => due.includes(waiter)));
    for (const waiter of missing) if (!due.includes(waiter)) waiter.inFlight = false;
    await Promise.all([...byId].map(([id, waiters]) => this.#pollOne(id, waiters)));
  }

  /** Returns the list, where it is cheaper than a request for each. */
  #listFor(waiters: readonly Waiter<T>[]): PollTarget<T>["list"] {
    const count = new Set(waiters.map(({ id }) => id)).size;
    const isCheaper = count >= MIN_FOR_LIST && count > this.#pages;
    return this.#listable && isCheaper ? this.#context.target.list : undefined;
  }

  /** Polls many by one list. Returns the waits whose resource the list did not show in full. */
  async #pollByList(
    list: NonNullable<PollTarget<T>["list"]>,
    waiting: readonly Waiter<T>[],
    now: number,
  ): Promise<Waiter<T>[]> {
    this.#listedAt = now;
    const byId = grouped(waiting);
    const left = new Set(byId.keys());
    const remaining = () => [...left].flatMap((id) => byId.get(id) ?? []);
    let pages = 0;
    let seen = 0;
    let withStatus = 0;
    try {
      for await (const page of list({ maxRetries: 0 }).pages()) {
        pages += 1;
        for (const resource of page.items) {
          const waiters = left.has(resource.id) ? (byId.get(resource.id) ?? []) : [];
          if (waiters.length === 0) continue;
          seen += 1;
          if (resource.status !== undefined) withStatus += 1;
          if (waiters.some(({ goal }) => goal.judge(resource) === "incomplete")) continue;
          left.delete(resource.id);
          for (const waiter of waiters) waiter.onResource(resource);
        }
        if (left.size === 0) break;
      }
    } catch (error) {
      // Listing unsupported or failing repeatedly: poll individually from now on.
      this.#listFailures += 1;
      const mayRecover = error instanceof CloudServicesError && isTransient(error);
      this.#listable = mayRecover && this.#listFailures < MAX_LIST_FAILURES;
      if (!this.#listable) return remaining();
      for (const waiter of remaining()) waiter.onError(error);
      return [];
    }
    this.#listFailures = 0;
    this.#pages = pages;
    // A list without any status costs a request and saves none.
    if (seen > 0 && withStatus === 0) this.#listable = false;
    return remaining();
  }

  async #pollOne(id: string, waiters: readonly Waiter<T>[]): Promise<void> {
    const waiting = waiters.filter((waiter) => !waiter.isEnded);
    if (waiting.length === 0) return;
    try {
      const resource = await this.#context.target.get(id, { maxRetries: 0 });
      for (const waiter of waiting) waiter.onResource(resource);
    } catch (error) {
      for (const waiter of waiting) waiter.onError(error);
    }
  }
}

const CONTINUES = "The service continues; wait again with a longer timeout.";

function lastStatus(lastSeen: Polled | undefined): string {
  return lastSeen === undefined ? "it was never seen" : `its last status is ${lastSeen.status ?? "unknown"}`;
}

function grouped<T extends Polled>(waiters: readonly Waiter<T>[]): Map<string, Waiter<T>[]> {
  const byId = new Map<string, Waiter<T>[]>();
  for (const waiter of waiters) byId.set(waiter.id, [...(byId.get(waiter.id) ?? []), waiter]);
  return byId;
}
