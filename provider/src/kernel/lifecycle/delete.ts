import { RouteMissingError } from "cloudservices-sdk";
import type { Properties } from "../definition/properties.js";
import { ResourceError } from "../diagnostics/errors.js";
import { setting } from "../settings/setting-change.js";
import type { Operation } from "../stack/operation.js";
import { withArticle } from "../state/describe.js";
import { guard, keyChangedError, replacedAcrossKeysError, sameKey } from "../state/guard.js";
import { entryOf, readState } from "../state/resource-state.js";
import { isProvenAbsent, judgeNotFound, type Presence, serviceTimeOf } from "./absence.js";
import { Deletion } from "./deletion.js";
import { isMissingId, NO_ID, operationError, requireSameId } from "./remote.js";

/** Deletes a resource, or leaves it where that is right. Returns when it may leave the state. */
export async function deleteResource<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  props: Properties,
): Promise<void> {
  await removeFromService(operation, id, props);
  operation.scope.markReleased(id);
}

async function removeFromService<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  props: Properties,
): Promise<void> {
  const { kind, session } = operation;
  const resource = operation.describe(id);
  const memory = guard(session.settings, resource, props);
  if (!kind.delete) return;
  const { urn } = operation;
  // The replacement has the same id: deleting the predecessor would delete the successor.
  if (session.claims.isSucceeded(kind.name, id)) return;
  // A forced replacement looks like a first creation, so its successor may have adopted the predecessor itself.
  if (session.claims.isAdoptedFor(kind.name, id, urn)) {
    throw new ResourceError({
      code: "NOT_REPLACED",
      summary: `${resource} was not replaced: its successor adopted this same resource`,
      cause:
        "it has the derived name, and cloudservices:adoptInterrupted is true. The resource is unchanged.",
      fixes: [
        { when: "to repair the state", line: "pulumi up" },
        { when: "to replace it", line: "set the option `deleteBeforeReplace: true` on the resource first" },
      ],
    });
  }
  if (session.claims.release(kind.name, id, entryOf(props, urn)) || session.claims.isAdopted(kind.name, id)) {
    operation.warn(
      `${resource} was removed from the state and not deleted: another resource of the program has it now.`,
    );
    return;
  }
  if (isMissingId(id)) return abandonOrRefuse(operation, resource, NO_ID);
  if (!operation.capabilities.delete) return abandonOrRefuse(operation, resource, undocumented(kind.name));
  const deletion = new Deletion(operation, id);
  try {
    await deletion.send();
    await deletion.untilGone();
  } catch (error) {
    if (error instanceof RouteMissingError) {
      if (!isFromService(error)) throw operationError(resource, "deleted", error);
      const why = `the service has no route that deletes ${withArticle(kind.name)}`;
      return abandonOrRefuse(operation, resource, why);
    }
    if (!isProvenAbsent(error)) throw operationError(resource, "deleted", error);
    const why = await whyNotDeleted(operation, id, props, deletion);
    // Declaring it again adopts whatever is left, so an error would only block the user.
    if (why === NEVER_READ && kind.createIsIdempotent) {
      operation.warn(`${resource} is treated as deleted: ${why}. Check at the service.`);
    } else if (why !== undefined) return abandonOrRefuse(operation, resource, why);
    const isOurs = sameKey(session.settings, memory) || session.claims.isConfirmed(kind.name, id);
    if (!isOurs && !kind.expired?.(props, serviceTimeOf(error, session.clock)))
      throw notFoundAfterKeyChange(resource, session.claims.createdFor(urn));
  }
  operation.scope.markDeleted(id);
}

/** A gateway sends 404 too, and then the service may have the route. */
const isFromService = ({ status, serviceCode }: RouteMissingError): boolean =>
  status !== 404 || serviceCode !== undefined;

/** "Not found" on routes that have never worked for this kind, without a second proof. */
const NEVER_READ =
  'the service responds "not found", but no read of it has ever succeeded, so the service may lack these routes';

/** Returns why a deletion with the response "not found" is not done, or undefined where the resource is deleted. */
async function whyNotDeleted<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  props: Properties,
  deletion: Deletion<I, R>,
): Promise<string | undefined> {
  const { kind } = operation;
  let finding: Presence<R>;
  try {
    finding = await lookAgain(operation, id, props);
  } catch (error) {
    throw operationError(operation.describe(id), "deleted", error);
  }
  if (finding === "absent") return undefined;
  if (finding === "unknown") return NEVER_READ;
  if (finding !== "exists" && kind.readiness?.status(finding) === "deleting") {
    await deletion.untilGone();
    return undefined;
  }
  return 'the service responds "not found" to its deletion and still has it';
}

async function lookAgain<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  props: Properties,
): Promise<Presence<R>> {
  try {
    return requireSameId(operation.kind, id, await operation.scope.reader.readDirectly(id));
  } catch (error) {
    // The service distinguishes missing routes, so its "not found" is about the resource.
    if (error instanceof RouteMissingError) return "absent";
    if (!isProvenAbsent(error)) throw error;
    return judgeNotFound(operation.scope, id, props, readState(props), error);
  }
}

const notFoundAfterKeyChange = (resource: string, successor: string | undefined): ResourceError =>
  successor === undefined ? keyChangedError(resource) : replacedAcrossKeysError(resource, successor);

const undocumented = (kind: string): string =>
  `the specification shows no request that deletes ${withArticle(kind)} (cloudservices:api is documented)`;

function abandonOrRefuse<I extends object, R extends object>(
  operation: Operation<I, R>,
  resource: string,
  why: string,
): void {
  const { kind, session } = operation;
  if (session.settings.undeletable === "error") {
    throw new ResourceError({
      code: "DELETE_UNSUPPORTED",
      summary: `${resource} was not deleted: ${why}`,
      fixes: [
        { when: "to leave it at the service", line: "set the option `retainOnDelete: true` on the resource" },
        { when: "to leave every such resource", line: [setting("undeletable", "abandon")] },
      ],
    });
  }
  operation.warn(
    [`${resource} was left at the service: ${why}.`, kind.afterRemoval].filter(Boolean).join(" "),
  );
}
