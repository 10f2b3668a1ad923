import { AuthenticationError, CloudServicesError, RouteMissingError } from "cloudservices-sdk";
import type { Kind } from "../definition/kind.js";
import { type Properties, stringOf, URN_KEY } from "../definition/properties.js";
import type { Fix } from "../diagnostics/diagnostic.js";
import { factOf, fixesOf, ResourceError } from "../diagnostics/errors.js";
import type { Scope } from "../stack/scope.js";
import { describeResource } from "../state/describe.js";
import { readState } from "../state/resource-state.js";
import { isProvenAbsent, judgeNotFound, NotInListError } from "./absence.js";

/** Nobody can tell from the answer whether the request was carried out. */
export const isAmbiguous = (error: unknown): error is CloudServicesError =>
  error instanceof CloudServicesError && error.outcome === "ambiguous";

/** Says which resource an error is about; the sdk's message says what happened and to which request. */
export function operationError(
  resource: string,
  doing: "created" | "adopted" | "read" | "updated" | "deleted",
  error: unknown,
): ResourceError {
  if (error instanceof ResourceError) return error;
  // The engine hands a refresh and a destroy the settings that the last run of the program has left in the state.
  const mayBeOld = error instanceof AuthenticationError && (doing === "read" || doing === "deleted");
  const rotated: readonly Fix[] = mayBeOld
    ? [
        {
          when: "if the key was rotated",
          line: `pulumi up once, or pulumi ${doing === "read" ? "refresh" : "destroy"} --run-program`,
        },
      ]
    : [];
  return new ResourceError({
    code: FAILED[doing],
    summary: `${resource} not ${doing}: ${factOf(error)}`,
    fixes: [...fixesOf(error), ...rotated],
  });
}

const FAILED = {
  created: "CREATE_FAILED",
  adopted: "ADOPT_FAILED",
  read: "READ_FAILED",
  updated: "UPDATE_FAILED",
  deleted: "DELETE_FAILED",
} as const;

/** The id of a resource whose creation was answered without one: the only name that it has here. */
export const missingId = (urn: string): string => `unnamed:${urn}`;

/** The service cannot be asked about such a resource, so whatever it answers proves nothing. */
export const isMissingId = (id: string): boolean => id.startsWith("unnamed:");

export const NO_ID = "the service did not return its id when it was created";

/** @throws ResourceError when the service has answered about another resource than it was asked about. */
export function requireSameId<I extends object, R extends object>(
  kind: Kind<I, R>,
  id: string,
  remote: R,
): R {
  const answered = kind.id(remote);
  if (answered === undefined || answered === id) return remote;
  throw new ResourceError({
    code: "WRONG_RESOURCE",
    summary: `${kind.name} (${id}): the service responded with ${answered} instead`,
    cause: "the response was ignored.",
  });
}

/** What the specification lets us know of a resource: itself, only that it exists, or nothing. */
export async function readDocumented<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
): Promise<R | "exists" | undefined> {
  const { kind, session } = scope;
  if (kind.documented?.list) {
    const found = await scope.reader.findInList(id);
    if (found !== undefined) return found;
    // A listing may lag behind, so absence from it needs a second witness.
    if (!kind.documented.probe) throw new NotInListError();
  }
  if (!kind.documented?.probe) return undefined;
  await kind.documented.probe(session.api, id);
  return "exists";
}

/** The resource can be read, so that it can be adopted. Where it cannot, no message may offer that. */
export const canAdopt = <I extends object, R extends object>({ kind, session }: Scope<I, R>): boolean =>
  session.settings.api === "conventional" || kind.documented?.list === true;

/**
 * What the service tells of a resource; without a route to read it, as much as the specification lets us know.
 *
 * @param outputs - As the state has them; a "not found" is judged by what they remember.
 */
export async function readRemote<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  outputs: Properties,
): Promise<R | "exists" | undefined> {
  const { kind, session } = scope;
  if (isMissingId(id)) return undefined;
  if (session.settings.api === "documented") return readDocumented(scope, id);
  try {
    return requireSameId(kind, id, await scope.reader.read(id));
  } catch (error) {
    const memory = readState(outputs);
    // Without a memory, the program asks by `get` for what it takes to exist.
    if (isProvenAbsent(error) && memory) {
      const finding = await judgeNotFound(scope, id, outputs, memory, error);
      if (finding === "absent") throw error;
      if (finding !== "unknown") return finding;
      session.reporter.warn(stringOf(outputs, URN_KEY), unproven(describeResource(kind, outputs, id)));
      return undefined;
    }
    if (!(error instanceof RouteMissingError)) throw error;
    session.warnOnce(
      undefined,
      `${kind.name}: ${factOf(error)} The state stays as it is, as with cloudservices:api documented.`,
    );
    return readDocumented(scope, id);
  }
}

const unproven = (resource: string): string =>
  `${resource}: the service answers "not found", but no read of it has ever succeeded, so the service may not have this ` +
  "route. The resource stays in the state. If it is deleted, run `pulumi state delete`.";
