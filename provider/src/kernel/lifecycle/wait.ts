import { FailedStateError, type WaitOptions } from "cloudservices-sdk";
import type { Changes, Kind, UpdateContext } from "../definition/kind.js";
import { knownInputsOf } from "../definition/kind-values.js";
import type { Properties } from "../definition/properties.js";
import type { Fix } from "../diagnostics/diagnostic.js";
import { factOf, fixesOf, PartialFailure } from "../diagnostics/errors.js";
import { timeLeft } from "../stack/deadline.js";
import type { Operation } from "../stack/operation.js";
import { outputsOf } from "../state/outputs.js";
import { readState } from "../state/resource-state.js";
import { repairFixes } from "./missing.js";
import { warnOfNormalised } from "./normalised-warning.js";

/** A resource that exists and is not yet what the program describes. */
export interface PendingResource<R> {
  readonly id: string;
  readonly values: Properties;
  /** The outputs it had before this operation; empty for a new one. */
  readonly previous: Properties;
  readonly remote: R | undefined;
  readonly asked?: string;
  /** The id of a new resource's entry in the state. */
  readonly entry?: string;
  /** It existed before the program declared it. */
  readonly everReady?: boolean;
  /** The fields that earlier requests of this operation carried. */
  readonly sent?: readonly string[];
  /** Whether `converge` may have something to do. */
  readonly converges: boolean;
  /** The progress of the update before this. */
  readonly progress?: Progress;
}

/** How far an update has got. */
export class Progress {
  /** The fields that the service has applied. */
  readonly applied = new Set<string>();
  /** The inputs that `converge` restores. */
  restore: Properties;
  /** The state in which a failure leaves the resource, for the user. */
  note = "";

  constructor(restore: Properties = {}) {
    this.restore = restore;
  }

  /** Returns why the update failed, and in what state it left the resource. */
  explain(error: unknown): string {
    return [factOf(error), this.note].filter(Boolean).join(" ");
  }

  /** A note of the kind contains its own way on. */
  fixes(error: unknown): readonly Fix[] {
    return this.note === "" ? fixesOf(error) : [];
  }
}

/** Returns the context of an update for the kind's functions. */
export function updateContext<I extends object, R extends object>(
  inputs: { readonly before: I; readonly after: I },
  progress: Progress,
  ready: UpdateContext<I, R>["waitUntilReady"],
): UpdateContext<I, R> {
  const owedBefore = new Set(Object.keys(progress.restore));
  return {
    ...inputs,
    waitUntilReady: ready,
    markApplied: (...fields) => {
      for (const field of fields) progress.applied.add(field);
    },
    restoreLater: (restore) => {
      progress.restore = { ...restore };
    },
    needsRestore: (field) => owedBefore.has(field),
    addNote: (text) => {
      progress.note = text;
    },
  };
}

/** Returns a wait for one resource, which reports on its row. */
export function waitFor<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  doing: "create" | "update",
  seen: (remote: R) => void,
): (wanted?: string) => Promise<R> {
  const { kind, session } = operation;
  const limit = operation.timeouts[doing];
  const startedAt = session.clock.now();
  return async (wanted) => {
    const elapsed = () => session.clock.now() - startedAt;
    const readiness = kind.readiness;
    if (!readiness) return kind.read(session.api, id);
    const options: WaitOptions<R> = {
      timeout: Math.max(1, Math.min(limit - elapsed(), timeLeft())),
      signal: session.cancelled,
      onPoll: ({ resource, status = "no response" }) => {
        if (resource) seen(resource);
        const share = Math.min(100, Math.round((100 * elapsed()) / limit));
        operation.status(`${status} after ${seconds(elapsed())} (${share}% of ${seconds(limit)})`);
      },
    };
    return readiness.wait(session.api, id, options, wanted);
  };
}

export const seconds = (milliseconds: number): string =>
  milliseconds < 120_000
    ? `${Math.round(milliseconds / 1_000)} s`
    : `${Math.round(milliseconds / 60_000)} min`;

/**
 * Waits until a resource is usable, then converges what its creation could not request. Whatever fails here, the resource
 * stays in the state, and the next run continues.
 */
export async function finishResource<I extends object, R extends object>(
  operation: Operation<I, R>,
  unfinished: PendingResource<R>,
  doing: "create" | "update",
): Promise<Properties> {
  const { kind, session } = operation;
  const { id, values, previous } = unfinished;
  let last = unfinished.remote;
  const { asked } = unfinished;
  const progress = unfinished.progress ?? new Progress(readState(previous)?.restore);
  const outputs = (ready: boolean, failed?: string) => {
    const kept = outputsOf(kind, session.settings, values, last, previous, {
      ready,
      ...(failed === undefined ? {} : { failed }),
      ...(asked === undefined ? {} : { asked }),
      ...(ready ? {} : { restore: progress.restore }),
      ...(unfinished.entry === undefined ? {} : { entry: unfinished.entry }),
      ...(unfinished.everReady ? { everReady: true } : {}),
      ...(unfinished.sent === undefined ? {} : { sent: unfinished.sent }),
    });
    warnOfNormalised(operation, id, kept, previous);
    return kept;
  };
  const ready = waitFor(operation, id, doing, (remote) => {
    last = remote;
  });
  // Waiting needs a request that reads the resource.
  if (operation.capabilities.read !== "direct") return outputs(true);
  try {
    if (kind.readiness && (last === undefined || kind.readiness.phase(last) !== "ready"))
      last = await ready();
    if (kind.converge && unfinished.converges) {
      const inputs = knownInputsOf(kind, { ...progress.restore, ...values });
      const context = updateContext<I, R>({ before: inputs, after: inputs }, progress, ready);
      last = await kind.converge(session.api, last ?? (await kind.read(session.api, id)), context);
    }
    return outputs(true);
  } catch (error) {
    const hasWorked = unfinished.everReady || readState(previous)?.everReady;
    // The next run replaces what failed; it would run an action a second time, which only the user may decide.
    const failed = error instanceof FailedStateError && !kind.action ? factOf(error) : undefined;
    throw new PartialFailure(
      {
        code: "NOT_READY",
        summary: `${operation.describe(id)} ${kind.action ? "was started" : "exists"}, but is not ready`,
        cause: `${progress.explain(error)} It stays in the state.`,
        fixes: notReadyFixes(operation, id, doing, error, hasWorked === true),
      },
      id,
      outputs(false, failed),
    );
  }
}

function notReadyFixes<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  doing: "create" | "update",
  error: unknown,
  hasWorked: boolean,
): readonly Fix[] {
  if (error instanceof FailedStateError) {
    return operation.kind.action || hasWorked
      ? repairFixes(operation, id)
      : [{ when: "to replace it", line: "pulumi up" }];
  }
  // The next run continues with an update.
  const timeouts = doing === "create" ? 'create: "1h", update: "1h"' : 'update: "1h"';
  return [
    { when: "to continue", line: "pulumi up" },
    { when: "if it needs more time", line: `{ customTimeouts: { ${timeouts} } }` },
  ];
}

/** Returns the changed inputs for an update: new values, and `null` for inputs that the program no longer gives. */
export function changesOf<I extends object, R extends object>(
  kind: Kind<I, R>,
  fields: readonly string[],
  after: I,
): Changes<I> {
  const changes: { -readonly [F in keyof I]?: I[F] | null } = {};
  for (const field in kind.inputs) {
    if (fields.includes(field)) changes[field] = after[field] ?? null;
  }
  return changes;
}
