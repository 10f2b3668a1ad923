import { knownInputsOf } from "../definition/kind-values.js";
import type { Properties } from "../definition/properties.js";
import type { Operation } from "../stack/operation.js";
import { guard, keyChangedError, sameKey } from "../state/guard.js";
import { outputsOf } from "../state/outputs.js";
import { isProvenAbsent, serviceTimeOf } from "./absence.js";
import { keepOnFailure } from "./partial-failure.js";
import { isMissingId, requireSameId } from "./remote.js";
import { deletedError, expiredError, failedUpdate, missingIdError } from "./update-errors.js";
import { planUpdate, type UpdatePlan } from "./update-plan.js";
import { changesOf, finishResource, Progress, updateContext, waitFor } from "./wait.js";

export async function updateResource<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  olds: Properties,
  news: Properties,
): Promise<Properties> {
  const { kind, session } = operation;
  const memory = guard(session.settings, operation.describe(id), olds);
  session.claims.markManaged(kind.name, id);
  const plan = planUpdate(kind, session.settings, memory, olds, news);
  const { fields, values } = plan;
  const unchanged = () => outputsOf(kind, session.settings, values, undefined, olds, { ready: true });
  if (fields.length === 0 && !plan.isUnfinished) return unchanged();
  if (isMissingId(id)) throw missingIdError(operation, id);
  const progress = new Progress(memory?.restore);
  let remote: R | undefined;
  try {
    if (fields.length > 0) remote = await send(operation, id, plan, progress);
    else if (operation.capabilities.read === "direct")
      remote = requireSameId(kind, id, await kind.read(session.api, id));
  } catch (error) {
    if (!isProvenAbsent(error)) throw failedUpdate(operation, id, olds, plan, progress, error);
    if (kind.expired?.(olds, serviceTimeOf(error, session.clock))) throw expiredError(operation.describe(id));
    if (!sameKey(session.settings, memory)) throw keyChangedError(operation.describe(id));
    // The target is deleted, so there is nothing to wait for.
    if (kind.action) return unchanged();
    throw deletedError(operation, id);
  }
  operation.scope.reader.forget(id);
  const existing = { id, values, previous: olds, remote };
  const work = { ...existing, converges: plan.converges, progress, sent: fields };
  return keepOnFailure(operation, { ...existing, found: { sent: fields } }, () =>
    finishResource(operation, work, "update"),
  );
}

async function send<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  { before, fields, values }: UpdatePlan,
  progress: Progress,
): Promise<R | undefined> {
  const { kind, session, capabilities } = operation;
  const after = knownInputsOf(kind, values);
  const context = updateContext<I, R>(
    { before: knownInputsOf(kind, { ...values, ...before }), after },
    progress,
    waitFor(operation, id, "update", () => undefined),
  );
  return capabilities.update?.(session.api, id, changesOf(kind, fields, after), context);
}
