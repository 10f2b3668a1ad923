import { AuthenticationError, CloudServicesError, NotFoundError, RouteMissingError } from "cloudservices-sdk";
import { messageOf, ResourceError } from "./errors.js";
import type { Kind } from "./kind.js";
import type { Scope } from "./scope.js";

/** A complete listing without the resource is as good a proof as the service's own "not found". */
class AbsentFromListing extends Error {
  override readonly message = "it is not in the service's list.";
}

/** Only these prove that a resource does not exist; no other answer does. */
export const isGone = (error: unknown): boolean =>
  error instanceof AbsentFromListing || (error instanceof NotFoundError && error.isProvenAbsent);

/** When a resource was found to be gone: by the service's clock, if the answer tells it, and to the end of its second. */
export const toldAt = (error: unknown, clock: { now(): number }): number =>
  error instanceof CloudServicesError && error.timestamp !== undefined
    ? error.timestamp * 1_000 + 999
    : clock.now();

/** Nobody can tell from the answer whether the request was carried out. */
export const isAmbiguous = (error: unknown): error is CloudServicesError =>
  error instanceof CloudServicesError && error.outcome === "ambiguous";

/** Says which resource an error is about; the sdk's message says what happened and to which request. */
export function about(
  resource: string,
  doing: "created" | "adopted" | "read" | "updated" | "deleted",
  error: unknown,
): ResourceError {
  if (error instanceof ResourceError) return error;
  // The engine hands a refresh and a destroy the settings that the last run of the program has left in the state.
  const mayBeOld = error instanceof AuthenticationError && (doing === "read" || doing === "deleted");
  const rotated = mayBeOld
    ? " If the key was rotated: refresh and destroy use the one of the last `pulumi up`, so run `pulumi up` once, or add --run-program."
    : "";
  return new ResourceError(`${resource} could not be ${doing}: ${messageOf(error)}${rotated}`);
}

/** The id of a resource whose creation was answered without one: the only name that it has here. */
export const unnamed = (urn: string): string => `unnamed:${urn}`;

/** The service cannot be asked about such a resource, so whatever it answers proves nothing. */
export const isUnnamed = (id: string): boolean => id.startsWith("unnamed:");

export const NO_ID = "the service did not tell its id when it was created";

/** @throws ResourceError when the service has answered about another resource than it was asked about. */
export function proven<I extends object, R extends object>(kind: Kind<I, R>, id: string, remote: R): R {
  const answered = kind.id(remote);
  if (answered === undefined || answered === id) return remote;
  throw new ResourceError(
    `${kind.name} (${id}): the service was asked about it and answered about ${answered}. Nothing was taken from that answer.`,
  );
}

/** What the specification lets us know of a resource: itself, only that it exists, or nothing. */
export async function readDocumented<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
): Promise<R | "exists" | undefined> {
  const { kind, session } = scope;
  if (kind.documented?.list) {
    const found = await scope.reader.findInList(id);
    if (found === undefined) throw new AbsentFromListing();
    return found;
  }
  if (!kind.documented?.probe) return undefined;
  await kind.documented.probe(session.api, id);
  return "exists";
}

/** What the service tells of a resource; without a route to read it, as much as the specification lets us know. */
export async function readRemote<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
): Promise<R | "exists" | undefined> {
  const { kind, session } = scope;
  if (isUnnamed(id)) return undefined;
  if (session.settings.api === "documented") return readDocumented(scope, id);
  try {
    return proven(kind, id, await scope.reader.read(id));
  } catch (error) {
    if (!(error instanceof RouteMissingError)) throw error;
    session.warnOnce(
      undefined,
      `${kind.name}: ${messageOf(error)} The state stays as it is, as with cloudservices:api documented.`,
    );
    return readDocumented(scope, id);
  }
}
