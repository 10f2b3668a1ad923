import { ConflictError, FailedStateError, RouteMissingError, WaitTimeoutError } from "cloudservices-sdk";
import { type Properties, stringOf, URN_KEY } from "../definition/properties.js";
import { timeoutOf } from "../definition/timeouts.js";
import { factOf, ResourceError } from "../diagnostics/errors.js";
import type { Scope } from "../stack/scope.js";
import { describeResource } from "../state/describe.js";
import { isAmbiguous } from "./remote.js";
import { seconds } from "./wait.js";

/** However long the deletion itself has taken, there is time to see its effect, in milliseconds. */
const LAST_LOOK = 5_000;

/** Before a deletion whose answer was lost is sent again, in milliseconds. */
const PAUSE = 500;

/** One deletion of one resource, within its time limit. */
export class Deletion<I extends object, R extends object> {
  readonly #limit: number;
  readonly #startedAt: number;

  constructor(
    private readonly scope: Scope<I, R>,
    private readonly id: string,
    private readonly props: Properties,
  ) {
    this.#limit = timeoutOf(props, "delete", scope.kind.timeouts);
    this.#startedAt = scope.session.clock.now();
  }

  /** Sends it until it is certain: a deletion may be repeated, its answer may be lost, and the resource may be busy. */
  async send(): Promise<void> {
    const { kind, session, reader } = this.scope;
    for (let lost = 0, idle = 0; ; ) {
      try {
        await kind.delete?.(session.api, this.id);
        break;
      } catch (error) {
        if (error instanceof ConflictError && kind.readiness) {
          // Who kept it busy may have been done before the first look, so a second conflict counts.
          if (!(await this.#untilIdle(error)) && ++idle === 2) throw error;
          continue;
        }
        if (!isAmbiguous(error) || ++lost === 3) throw error;
        await session.clock.sleep(PAUSE);
      }
    }
    reader.forget(this.id);
  }

  /** A deletion that was accepted takes time as well. */
  async untilGone(): Promise<void> {
    const { kind, session } = this.scope;
    try {
      await kind.readiness?.waitUntilDeleted?.(session.api, this.id, {
        timeout: Math.max(LAST_LOOK, this.#left()),
        signal: session.cancelled,
        onPoll: this.#report,
      });
    } catch (error) {
      if (!(error instanceof RouteMissingError)) throw error;
      const name = describeResource(kind, this.props, this.id);
      session.reporter.warn(
        this.#urn,
        `${name}: the deletion was accepted, and its end cannot be observed: ${factOf(error)}`,
      );
    }
  }

  /** Waits while the service is busy with the resource, for example with a snapshot. Returns whether it was busy. */
  async #untilIdle(conflict: ConflictError): Promise<boolean> {
    const { kind, session } = this.scope;
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
          summary: `${describeResource(kind, this.props, this.id)} was not deleted: the service is busy with it`,
          cause: `${factOf(conflict)} ${factOf(error)} It stays in the state.`,
          fixes: [
            { line: "run the command again later" },
            { when: "if it needs more time", line: '{ customTimeouts: { delete: "1h" } }' },
          ],
        });
      }
      // What has failed is not busy.
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
    this.scope.session.reporter.status(this.#urn, text);
  };

  get #urn(): string | undefined {
    return stringOf(this.props, URN_KEY);
  }

  #left(): number {
    return this.#limit - (this.scope.session.clock.now() - this.#startedAt);
  }
}
