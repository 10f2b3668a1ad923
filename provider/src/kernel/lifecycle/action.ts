import { ConflictError, WaitTimeoutError } from "cloudservices-sdk";
import type { ActionDefinition } from "../definition/kind.js";
import type { Properties } from "../definition/properties.js";
import { factOf, isAmbiguous, PartialFailure, ResourceError } from "../diagnostics/errors.js";
import { restartLimit } from "../stack/deadline.js";
import type { Operation } from "../stack/operation.js";
import { outputsOf } from "../state/outputs.js";

import { waitFor } from "./wait.js";

/**
 * Runs an action once. Actions on one target run one after the other. After a lost response, the target may show that
 * the action is running; otherwise it counts as done, because running it twice may do harm that cannot be undone.
 *
 * @throws PartialFailure when it may have run; the next run does not repeat it.
 * @throws ResourceError when it did not run because the target is busy or in a state that does not allow it.
 */
export async function runAction<I extends object, R extends object>(
  operation: Operation<I, R>,
  values: Properties,
  inputs: I,
  occurrence: ActionDefinition<I, R>,
): Promise<R> {
  const { kind, session } = operation;
  const id = occurrence.target(inputs);
  const isReadable = operation.capabilities.read === "direct";

  return inTurn(operation, id, async (isBusy) => {
    // Each earlier action has its own time limit, so the time in the queue is bounded too.
    restartLimit();
    const untilReady = waiting(operation, id);
    if (isBusy && isReadable) await untilReady(`${id} may be busy with an earlier action.`);
    for (let last: TargetState<R> | undefined; ; ) {
      try {
        return await kind.create(session.api, inputs);
      } catch (error) {
        // A conflict proves that it did not run, so it may be sent again.
        if (!(error instanceof ConflictError))
          return afterwards(operation, values, inputs, occurrence, error);
        if (!isReadable) throw refused(operation, id, error);
        if (last?.wasBusy === false) throw refused(operation, id, error, last.target);
        last = await untilReady(factOf(error));
      }
    }
  });
}

interface TargetState<R> {
  readonly target: R;
  /** Whether the target was pending at the first poll. If not, it may have become ready in between, or was never busy. */
  readonly wasBusy: boolean;
}

/** Returns a wait whose time limit covers all waiting from the action's turn on. */
function waiting<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
): (why: string) => Promise<TargetState<R>> {
  const { kind } = operation;
  let wasBusy = false;
  const ready = waitFor(operation, id, "create", (target) => {
    wasBusy ||= kind.readiness?.phase(target) === "pending";
  });
  return async (why) => {
    wasBusy = false;
    try {
      const target = await ready();
      return { target, wasBusy };
    } catch (error) {
      throw new ResourceError({
        code: "ACTION_NOT_RUN",
        summary: `${operation.describe()} did not run: waiting for its target failed`,
        cause: `${why} ${factOf(error)}`,
        fixes:
          error instanceof WaitTimeoutError
            ? [
                { when: "when the target is ready", line: "pulumi up" },
                { when: "if it needs more time", line: '{ customTimeouts: { create: "1h" } }' },
              ]
            : [{ when: "when the target is repaired", line: "pulumi up" }],
      });
    }
  };
}

/** The service did not run the action, and waiting does not help or is not possible. */
function refused<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  error: ConflictError,
  target?: R,
): ResourceError {
  const status = target && (operation.kind.readiness?.status(target) ?? "not busy");
  return new ResourceError({
    code: "ACTION_NOT_RUN",
    summary: `${operation.describe()} did not run: ${factOf(error)}`,
    cause: status
      ? `${id} is ${status}, which does not allow it.`
      : `whether ${id} is busy is unknown with cloudservices:api documented.`,
    fixes: status
      ? [{ line: `bring ${id} into a state that allows it, then pulumi up` }]
      : [
          { when: `when ${id} is no longer busy`, line: "pulumi up" },
          {
            when: "if the program runs several actions on it",
            line: "order them with the option `dependsOn`",
          },
        ],
  });
}

/** Decides what a failed request means for the action. */
async function afterwards<I extends object, R extends object>(
  operation: Operation<I, R>,
  values: Properties,
  inputs: I,
  occurrence: ActionDefinition<I, R>,
  error: unknown,
): Promise<R> {
  const { kind, session } = operation;
  if (!isAmbiguous(error)) throw error;
  const id = occurrence.target(inputs);
  const target = await look(operation, id);
  if (target && occurrence.isRunning(target, inputs)) return target;
  throw new PartialFailure(
    {
      code: "ACTION_OUTCOME_UNKNOWN",
      summary: `${operation.describe(id)} may have run`,
      cause: `${factOf(error)} It was not retried, and no later run retries it.`,
      fixes: [{ when: "if it did not run", line: "change `triggers`, then pulumi up" }],
    },
    id,
    outputsOf(kind, session.settings, values, undefined, {}, { ready: false }),
  );
}

/** Returns the target, or undefined where it cannot be read. */
async function look<I extends object, R extends object>(
  { kind, capabilities, session }: Operation<I, R>,
  id: string,
): Promise<R | undefined> {
  if (capabilities.read !== "direct") return undefined;
  return kind.read(session.api, id).catch(() => undefined);
}

/** The last action in the queue of each target: whether it leaves the target busy. */
const turns = new WeakMap<object, Map<string, Promise<boolean>>>();

/** Runs the actions on one target one after the other. The engine runs independent resources at the same time. */
async function inTurn<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  act: (isBusy: boolean) => Promise<R>,
): Promise<R> {
  const last = turns.get(operation.scope) ?? new Map<string, Promise<boolean>>();
  turns.set(operation.scope, last);
  const mine = (last.get(id) ?? Promise.resolve(false)).then(act);
  const leavesBusy = mine.then(
    (target) => operation.kind.readiness?.phase(target) !== "ready",
    (error: unknown) => error instanceof PartialFailure,
  );
  last.set(id, leavesBusy);
  return mine;
}
