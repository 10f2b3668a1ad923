import { RouteMissingError } from "cloudservices-sdk";
import { timeLimit } from "./durations.js";
import { messageOf, ResourceError } from "./errors.js";
import { describe, entryOf, guard, keyChanged, sameKey, withArticle } from "./memory.js";
import { about, isAmbiguous, isGone, isUnnamed, NO_ID, toldAt } from "./remote.js";
import type { Scope } from "./scope.js";
import type { Session } from "./session.js";
import { seconds } from "./settle.js";
import { stringOf, URN_KEY, type Values } from "./values.js";

/** However long the deletion itself has taken, there is time to see its effect, in milliseconds. */
const LAST_LOOK = 5_000;

/** Before a deletion whose answer was lost is sent again, in milliseconds. */
const PAUSE = 500;

/** Deletes a resource, or leaves it where that is right, and returns when the state may forget it. */
export async function remove<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Values,
): Promise<void> {
  await removeFromService(scope, id, props);
  scope.released(id);
}

async function removeFromService<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Values,
): Promise<void> {
  const { kind, session } = scope;
  const resource = describe(kind, props, id);
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
  if (session.releases(kind.name, id, entryOf(props)) || session.isAdopted(kind.name, id)) {
    session.reporter.warn(
      urn,
      `${resource} was taken out of the state and not deleted: another resource of the program has it now.`,
    );
    return;
  }
  if (isUnnamed(id)) return abandonOrRefuse(session, resource, props, NO_ID);
  if (session.settings.api === "documented")
    return abandonOrRefuse(session, resource, props, undocumented(kind.name));
  const startedAt = session.clock.now();
  try {
    await deleteSurely(scope, id);
    await untilGone(scope, id, props, startedAt);
  } catch (error) {
    if (error instanceof RouteMissingError) {
      return abandonOrRefuse(
        session,
        resource,
        props,
        `the service has no route that deletes ${withArticle(kind.name)}`,
      );
    }
    if (!isGone(error)) throw about(resource, "deleted", error);
    const isOurs = sameKey(session.settings, memory) || scope.found.has(id);
    if (!isOurs && !kind.ended?.(props, toldAt(error, session.clock))) throw keyChanged(resource);
  }
  scope.deleted(id);
}

const undocumented = (kind: string): string =>
  `the specification shows no request that deletes ${withArticle(kind)} (cloudservices:api is documented)`;

function abandonOrRefuse(session: Session, resource: string, props: Values, why: string): void {
  if (session.settings.undeletable === "error") {
    throw new ResourceError(
      `${resource} was not deleted: ${why}. To take it out of the state and leave it at the service, set the option ` +
        "`retainOnDelete: true` on it, or cloudservices:undeletable to abandon for the whole stack.",
    );
  }
  session.reporter.warn(
    stringOf(props, URN_KEY),
    `${resource} was left at the service: ${why}. It may go on costing money.`,
  );
}

/** Asks until it is certain: a deletion may be repeated, and its answer may be lost. */
async function deleteSurely<I extends object, R extends object>(
  { kind, session, reader }: Scope<I, R>,
  id: string,
): Promise<void> {
  for (let lost = 0; ; ) {
    try {
      await kind.delete?.(session.api, id);
      break;
    } catch (error) {
      if (!isAmbiguous(error) || ++lost === 3) throw error;
      await session.clock.sleep(PAUSE);
    }
  }
  reader.forget(id);
}

/** A deletion that was accepted takes time as well. */
async function untilGone<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  id: string,
  props: Values,
  startedAt: number,
): Promise<void> {
  const urn = stringOf(props, URN_KEY);
  const limit = timeLimit(props, "delete", kind.limits);
  try {
    await kind.settling?.waitForAbsence?.(session.api, id, {
      timeout: Math.max(LAST_LOOK, limit - (session.clock.now() - startedAt)),
      signal: session.cancelled,
      onPoll: ({ status, elapsed }) => {
        if (status !== undefined)
          session.reporter.status(urn, `${status} for ${seconds(elapsed)} (limit ${seconds(limit)})`);
      },
    });
  } catch (error) {
    if (!(error instanceof RouteMissingError)) throw error;
    const name = describe(kind, props, id);
    session.reporter.warn(
      urn,
      `${name}: its deletion was accepted, and nothing tells when it is gone: ${messageOf(error)}`,
    );
  }
}
