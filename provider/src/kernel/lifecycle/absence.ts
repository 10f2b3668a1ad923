import { CloudServicesError, NotFoundError, RouteMissingError } from "cloudservices-sdk";
import type { Properties } from "../definition/properties.js";
import type { Scope } from "../stack/scope.js";
import type { ResourceState } from "../state/resource-state.js";

/*
 * RESOURCE_NOT_FOUND proves absence only on a route that the service has. Most routes are assumed, and a service may
 * send that code for unknown routes too. So "not found" on a route that has never worked needs a second proof, which
 * costs one more request.
 */

/** A complete listing without the resource is as good a proof as the service's own "not found". */
export class NotInListError extends Error {
  override readonly message = "it is not in the service's list.";
}

/** Whether the error proves that a resource does not exist. */
export const isProvenAbsent = (error: unknown): boolean =>
  error instanceof NotInListError || (error instanceof NotFoundError && error.isProvenAbsent);

/** Returns when a resource was found to be deleted: the end of that second by the service's clock, if the response shows it. */
export const serviceTimeOf = (error: unknown, clock: { now(): number }): number =>
  error instanceof CloudServicesError && error.timestamp !== undefined
    ? error.timestamp * 1_000 + 999
    : clock.now();

/** What "not found" means. A resource that still exists is returned if another route has read it. */
export type Presence<R> = R | "exists" | "absent" | "unknown";

/** Decides what a "not found" error means. */
export async function judgeNotFound<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  outputs: Properties,
  memory: ResourceState | undefined,
  error: unknown,
): Promise<Presence<R>> {
  const { kind, session, reader } = scope;
  if (memory?.read || reader.hasReadDirectly || reader.isMissingFromList(id)) return "absent";
  if (kind.expired?.(outputs, serviceTimeOf(error, session.clock))) return "absent";
  for (const witness of [byProbe, byList, byParent]) {
    const finding = await witness(scope, id);
    if (finding !== undefined) return finding;
  }
  return "unknown";
}

/** Proof by a request that the specification shows. */
async function byProbe<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  id: string,
): Promise<Presence<R> | undefined> {
  if (!kind.documented?.probe) return undefined;
  try {
    await kind.documented.probe(session.api, id);
    return "exists";
  } catch (error) {
    if (isProvenAbsent(error)) return "absent";
    if (error instanceof RouteMissingError) return undefined;
    throw error;
  }
}

async function byList<I extends object, R extends object>(
  { kind, reader }: Scope<I, R>,
  id: string,
): Promise<Presence<R> | undefined> {
  if (!kind.list) return undefined;
  try {
    return (await reader.findInList(id)) ?? "absent";
  } catch (error) {
    return withoutRoute(error);
  }
}

async function byParent<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  id: string,
): Promise<"absent" | undefined> {
  try {
    return (await kind.isParentDeleted?.(session.api, id)) ? "absent" : undefined;
  } catch (error) {
    return withoutRoute(error);
  }
}

/** "Not found" for a list means that the service lacks the route. */
function withoutRoute(error: unknown): undefined {
  if (isProvenAbsent(error) || error instanceof RouteMissingError) return undefined;
  throw error;
}
