import { RouteMissingError } from "cloudservices-sdk";
import { type Properties, stringOf, URN_KEY } from "../definition/properties.js";
import { ResourceError } from "../diagnostics/errors.js";
import type { Scope } from "../stack/scope.js";
import { describeResource, withArticle } from "../state/describe.js";
import { guard, keyChangedError, sameKey } from "../state/guard.js";
import { entryOf, readState } from "../state/resource-state.js";
import { isProvenAbsent, judgeNotFound, type Presence, serviceTimeOf } from "./absence.js";
import { Deletion } from "./deletion.js";
import { isMissingId, NO_ID, operationError, requireSameId } from "./remote.js";

/** Deletes a resource, or leaves it where that is right, and returns when the state may forget it. */
export async function deleteResource<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Properties,
): Promise<void> {
  await removeFromService(scope, id, props);
  scope.markReleased(id);
}

async function removeFromService<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Properties,
): Promise<void> {
  const { kind, session } = scope;
  const resource = describeResource(kind, props, id);
  const memory = guard(session.settings, resource, props);
  if (!kind.delete) return;
  const urn = stringOf(props, URN_KEY);
  // The replacement has the same id: deleting the predecessor would delete the successor.
  if (session.isSucceeded(kind.name, id)) return;
  // Nothing tells a forced replacement from a first creation, so its successor has taken the predecessor itself.
  if (urn !== undefined && scope.takenOver.get(id) === urn) {
    throw new ResourceError(
      `${resource} was not replaced: under its name the service had this very resource, and cloudservices:adoptInterrupted ` +
        "let it be taken over. It is as it was; the next `pulumi up` puts the state in order. To replace it, set the option " +
        "`deleteBeforeReplace: true` on it first.",
    );
  }
  if (session.release(kind.name, id, entryOf(props)) || session.isAdopted(kind.name, id)) {
    session.reporter.warn(
      urn,
      `${resource} was taken out of the state and not deleted: another resource of the program has it now.`,
    );
    return;
  }
  if (isMissingId(id)) return abandonOrRefuse(scope, resource, props, NO_ID);
  if (session.settings.api === "documented")
    return abandonOrRefuse(scope, resource, props, undocumented(kind.name));
  const deletion = new Deletion(scope, id, props);
  try {
    await deletion.send();
    await deletion.untilGone();
  } catch (error) {
    if (error instanceof RouteMissingError) {
      if (!isFromService(error)) throw operationError(resource, "deleted", error);
      const why = `the service has no route that deletes ${withArticle(kind.name)}`;
      return abandonOrRefuse(scope, resource, props, why);
    }
    if (!isProvenAbsent(error)) throw operationError(resource, "deleted", error);
    const why = await whyNotDeleted(scope, id, props, deletion);
    // Declaring it again takes over what may be left, so refusing would only stand in the way.
    if (why === NEVER_READ && kind.createIsIdempotent) {
      session.reporter.warn(urn, `${resource} counts as deleted: ${why}. To make sure, look at the service.`);
    } else if (why !== undefined) return abandonOrRefuse(scope, resource, props, why);
    const isOurs = sameKey(session.settings, memory) || scope.found.has(id);
    if (!isOurs && !kind.expired?.(props, serviceTimeOf(error, session.clock)))
      throw keyChangedError(resource, session.names.createdFor(urn ?? ""));
  }
  scope.markDeleted(id);
}

/** A gateway answers 404 too, and then the service may well have the route. */
const isFromService = ({ status, serviceCode }: RouteMissingError): boolean =>
  status !== 404 || serviceCode !== undefined;

/** "Not found" on routes that have never worked for this kind, and no other witness. */
const NEVER_READ =
  'the service answers "not found", but no read of it has ever succeeded, so the service may not have these routes';

/** Judges a deletion that was answered with "not found". Nothing where the resource is gone. */
async function whyNotDeleted<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Properties,
  deletion: Deletion<I, R>,
): Promise<string | undefined> {
  const { kind } = scope;
  let finding: Presence<R>;
  try {
    finding = await lookAgain(scope, id, props);
  } catch (error) {
    throw operationError(describeResource(kind, props, id), "deleted", error);
  }
  if (finding === "absent") return undefined;
  if (finding === "unknown") return NEVER_READ;
  if (finding !== "exists" && kind.readiness?.status(finding) === "deleting") {
    await deletion.untilGone();
    return undefined;
  }
  return 'the service answers its deletion with "not found" and still has it';
}

async function lookAgain<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Properties,
): Promise<Presence<R>> {
  try {
    return requireSameId(scope.kind, id, await scope.reader.readDirectly(id));
  } catch (error) {
    // It says so of a route that it does not have, so its "not found" is about the resource.
    if (error instanceof RouteMissingError) return "absent";
    if (!isProvenAbsent(error)) throw error;
    return judgeNotFound(scope, id, props, readState(props), error);
  }
}

const undocumented = (kind: string): string =>
  `the specification shows no request that deletes ${withArticle(kind)} (cloudservices:api is documented)`;

function abandonOrRefuse<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  resource: string,
  props: Properties,
  why: string,
): void {
  if (session.settings.undeletable === "error") {
    throw new ResourceError(
      `${resource} was not deleted: ${why}. To take it out of the state and leave it at the service, set the option ` +
        "`retainOnDelete: true` on it, or cloudservices:undeletable to abandon for the whole stack.",
    );
  }
  session.reporter.warn(
    stringOf(props, URN_KEY),
    [`${resource} was left at the service: ${why}.`, kind.afterRemoval].filter(Boolean).join(" "),
  );
}
