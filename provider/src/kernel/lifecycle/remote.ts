import { AuthenticationError, RouteMissingError } from "cloudservices-sdk";
import type { Kind } from "../definition/kind.js";
import type { Properties } from "../definition/properties.js";
import type { Fix } from "../diagnostics/diagnostic.js";
import { factOf, fixesOf, ResourceError } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";
import { readState } from "../state/resource-state.js";
import { isProvenAbsent, judgeNotFound, NotInListError } from "./absence.js";

/** Returns the error with the resource that it is about; the sdk's message has the request and the reason. */
export function operationError(
  resource: string,
  doing: "created" | "adopted" | "read" | "updated" | "deleted",
  error: unknown,
): ResourceError {
  if (error instanceof ResourceError) return error;
  // A refresh and a destroy use the settings that the last run of the program stored in the state.
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

/** Returns the stand-in for the id of a resource whose creation returned none. */
export const missingId = (urn: string): string => `unnamed:${urn}`;

/** Whether the id is a stand-in. No request can be made about such a resource. */
export const isMissingId = (id: string): boolean => id.startsWith("unnamed:");

export const NO_ID = "the service did not return its id when it was created";

/** @throws ResourceError when the service responded with another resource than the requested one. */
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

/** Reads a resource by documented requests alone. Returns it, "exists" where only that can be known, or undefined. */
export async function readDocumented<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
): Promise<R | "exists" | undefined> {
  const { kind, session } = operation;
  if (kind.documented?.list) {
    const found = await operation.scope.reader.findInList(id);
    if (found !== undefined) return found;
    // A list may lag behind, so absence from it needs a second proof.
    if (!kind.documented.probe) throw new NotInListError();
  }
  if (!kind.documented?.probe) return undefined;
  await kind.documented.probe(session.api, id);
  return "exists";
}

/** Whether the kind can be read, and so adopted. Where it cannot, no message offers that. */
export const canAdopt = <I extends object, R extends object>({ capabilities }: Operation<I, R>): boolean =>
  capabilities.read === "direct" || capabilities.read === "list";

/**
 * Reads a resource; without a route to read it, as far as documented requests allow.
 *
 * @param outputs - From the state; they decide what a "not found" means.
 */
export async function readRemote<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  outputs: Properties,
): Promise<R | "exists" | undefined> {
  const { kind, session } = operation;
  if (isMissingId(id)) return undefined;
  if (operation.capabilities.read !== "direct") return readDocumented(operation, id);
  try {
    return requireSameId(kind, id, await operation.scope.reader.read(id));
  } catch (error) {
    const memory = readState(outputs);
    // Without a remembered state this is `get`, which expects the resource to exist.
    if (isProvenAbsent(error) && memory) {
      const finding = await judgeNotFound(operation.scope, id, outputs, memory, error);
      if (finding === "absent") throw error;
      if (finding !== "unknown") return finding;
      operation.warn(unproven(operation.describe(id)));
      return undefined;
    }
    if (!(error instanceof RouteMissingError)) throw error;
    session.warnOnce(
      undefined,
      `${kind.name}: ${factOf(error)} The state stays as it is, as with cloudservices:api documented.`,
    );
    return readDocumented(operation, id);
  }
}

const unproven = (resource: string): string =>
  `${resource}: the service answers "not found", but no read of it has ever succeeded, so the service may not have this ` +
  "route. The resource stays in the state. If it is deleted, run `pulumi state delete`.";
