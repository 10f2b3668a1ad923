import { ConflictError, FailedStateError, RouteMissingError, WaitTimeoutError } from "cloudservices-sdk";
import { factOf, isAmbiguous, ResourceError } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";

import { seconds } from "./wait.js";

/** The least time to observe the effect of a deletion, in milliseconds. */
const LAST_LOOK = 5_000;

/** The pause before a deletion whose response was lost is retried, in milliseconds. */
const PAUSE = 500;

/** One deletion of one resource, within its time limit. */
export class Deletion<I extends object, R extends object> {
  readonly #limit: number;
  readonly #startedAt: number;

  constructor(
    private readonly operation: Operation<I, R>,
    private readonly id: string,
  ) {
    this.#limit = operation.timeouts.delete;
    this.#startedAt = operation.session.clock.now();
  }

  /** Sends the deletion until its outcome is certain. It is idempotent, so a lost response is retried, and a busy resource is awaited. */
  async send(): Promise<void> {
    const { kind, session, scope } = this.operation;
    for (let lost = 0, idle = 0; ; ) {
      try {
        await kind.delete?.(session.api, this.id);
        break;
      } catch (error) {
        if (error instanceof ConflictError && kind.readiness) {
          // The resource may have become idle before the first poll, so only a second conflict counts.
          if (!(await this.#untilIdle(error)) && ++idle === 2) throw error;
          continue;
        }
        if (!isAmbiguous(error) || ++lost === 3) throw error;
        await session.clock.sleep(PAUSE);
      }
    }
    scope.reader.forget(this.id);
  }

  /** Waits until an accepted deletion has taken effect. */
  async untilGone(): Promise<void> {
    const { kind, session } = this.operation;
    try {
      await kind.readiness?.waitUntilDeleted?.(session.api, this.id, {
        timeout: Math.max(LAST_LOOK, this.#left()),
        signal: session.cancelled,
        onPoll: this.#report,
      });
    } catch (error) {
      if (!(error instanceof RouteMissingError)) throw error;
      const name = this.operation.describe(this.id);
      this.operation.warn(
        `${name}: the deletion was accepted, and its end cannot be observed: ${factOf(error)}`,
      );
    }
  }

  /** Waits while the service is busy with the resource, for example with a snapshot. Returns whether it was busy. */
  async #untilIdle(conflict: ConflictError): Promise<boolean> {
    const { kind, session } = this.operation;
    let wasBusy = false;
    try {
      await kind.readiness?.wait(session.api, this.id, {
        timeout: Math.max(1, this.#left()),
        signal: session.cancelled,
        onPoll: (poll) => {
          wasBusy ||= poll.resource !== undefined && kind.readiness?.phase(poll.resource) === "pending";
          this.#report(poll);
        },
      });
    } catch (error) {
      if (error instanceof RouteMissingError) throw conflict;
      if (error instanceof WaitTimeoutError) {
        throw new ResourceError({
          code: "DELETE_BUSY",
          summary: `${this.operation.describe(this.id)} was not deleted: the service is busy with it`,
          cause: `${factOf(conflict)} ${factOf(error)} It stays in the state.`,
          fixes: [
            { line: "run the command again later" },
            { when: "if it needs more time", line: '{ customTimeouts: { delete: "1h" } }' },
          ],
        });
      }
      // A failed resource is not busy.
      if (!(error instanceof FailedStateError)) throw error;
    }
    return wasBusy;
  }

  readonly #report = ({
    status,
    elapsed,
  }: {
    readonly status?: string | undefined;
    readonly elapsed: number;
  }): void => {
    if (status === undefined) return;
    const text = `${status} for ${seconds(elapsed)} (limit ${seconds(this.#limit)})`;
    this.operation.status(text);
  };

  #left(): number {
    return this.#limit - (this.operation.session.clock.now() - this.#startedAt);
  }
}
