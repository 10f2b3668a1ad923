import { factOf, fixesOf, ResourceError } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";
import type { Predecessor } from "../stack/scope.js";
import { keyChangedError, replacedUnderOtherKeyError, sameKey } from "../state/guard.js";
import { readState } from "../state/resource-state.js";
import { isProvenAbsent, serviceTimeOf } from "./absence.js";
import { isMissingId, readRemote } from "./remote.js";

/*
 * A replacement creates the successor before it deletes the predecessor. Under another account's key the deletion
 * would find nothing, and two resources would remain. So after a change of the key, the successor is created only after
 * a read has found its predecessor. The diff sends no request, so the creation does that read.
 *
 * A forced replacement (--replace, --target-replace, taint) has no diff: the engine checks it without its old inputs and
 * then creates it like a new resource. Only a refresh in the same run reads the predecessor first, and stops the run.
 * Otherwise the deletion stops, and its message names the successor.
 */

/**
 * Notes that a successor of this resource needs that read. The engine can replace what the diff does not: the option
 * `replaceOnChanges` is unknown here.
 *
 * @throws ResourceError when the plan replaces it and no request can read it.
 */
export function notePredecessor<I extends object, R extends object>(
  operation: Operation<I, R>,
  predecessor: Predecessor,
  isReplaced: boolean,
): void {
  const { kind, session, urn } = operation;
  const { id, outputs } = predecessor;
  operation.scope.predecessors.delete(urn);
  // A kind without deletion leaves nothing that a successor could duplicate.
  if (!kind.delete || sameKey(session.settings, readState(outputs))) return;
  operation.scope.predecessors.set(urn, predecessor);
  if (!isReplaced) return;
  if (!isReadable(operation, id)) throw replacedUnderOtherKeyError(operation.describe(id));
  session.warnOnce(
    undefined,
    "The API key has changed. Before a replacement, `pulumi up` reads the old resource with the new key; if it is not " +
      "found, nothing is created or deleted.",
  );
}

/** @throws ResourceError when the key of this run does not show the resource whose successor is to be created. */
export async function requirePredecessor<I extends object, R extends object>(
  operation: Operation<I, R>,
): Promise<void> {
  const { kind, session, urn } = operation;
  const predecessor = operation.scope.predecessors.get(urn);
  if (!predecessor) return;
  const { id, outputs } = predecessor;
  const resource = operation.describe(id);
  let remote: R | "exists" | undefined;
  try {
    remote = await readRemote(operation, id, outputs);
  } catch (error) {
    if (!isProvenAbsent(error)) {
      throw new ResourceError({
        code: "KEY_CHANGED",
        summary: `${resource} was not replaced: it must first be found with the changed API key`,
        cause: factOf(error),
        fixes: fixesOf(error),
      });
    }
    if (!kind.expired?.(outputs, serviceTimeOf(error, session.clock))) throw keyChangedError(resource);
    operation.scope.predecessors.delete(urn);
    return;
  }
  if (remote === undefined) throw replacedUnderOtherKeyError(resource);
  operation.scope.predecessors.delete(urn);
  session.claims.confirm(kind.name, id);
}

const isReadable = <I extends object, R extends object>(
  { capabilities }: Operation<I, R>,
  id: string,
): boolean => !isMissingId(id) && capabilities.read !== "none";
