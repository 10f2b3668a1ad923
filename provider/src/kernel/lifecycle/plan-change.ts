import type { Properties } from "../definition/properties.js";
import { ResourceError } from "../diagnostics/errors.js";
import { type Difference, diff } from "../plan/diff.js";
import type { Operation } from "../stack/operation.js";
import { guard, managedTwiceError } from "../state/guard.js";
import { entryOf } from "../state/resource-state.js";
import { notePredecessor } from "./predecessor.js";

/**
 * Plans the change of an existing resource. Sends no requests.
 *
 * @throws ResourceError when this stack must not change the resource, or cannot do what the program describes.
 */
export function planChange<I extends object, R extends object>(
  operation: Operation<I, R>,
  id: string,
  olds: Properties,
  news: Properties,
): Difference {
  const { kind, session, scope, urn } = operation;
  scope.noteStored(olds);
  const resource = operation.describe(id);
  if (session.claims.isAdopted(kind.name, id)) throw adoptedTwiceError(resource);
  guard(session.settings, resource, olds);
  const twin = session.claims.claim(kind.name, id, entryOf(olds, urn), urn);
  if (twin !== undefined && !kind.action) throw managedTwiceError(kind, id, urn, twin);
  const asked = session.names.adoptionAsked(urn);
  if (asked !== undefined && asked !== id) throw adoptAfterCreateError(resource, asked);
  const difference = diff(kind, olds, news, {
    urn,
    settings: session.settings,
    names: session.names,
    now: session.clock.now(),
  });
  session.claims.noteExisting(urn, id);
  session.names.declared.noteId(urn, kind.name, id);
  notePredecessor(operation, { id, outputs: olds }, difference.replaces.length > 0);
  return difference;
}

const adoptedTwiceError = (resource: string): ResourceError =>
  new ResourceError({
    code: "ADOPTED_TWICE",
    summary: `${resource} is managed by this stack, and another resource of this run adopted it`,
    cause: "nothing was done to it.",
    fixes: [
      {
        line: "remove `adopt` or cloudservices:adoptInterrupted, then pulumi state delete the adopting resource",
      },
    ],
  });

const adoptAfterCreateError = (resource: string, asked: string): ResourceError =>
  new ResourceError({
    code: "ADOPT_AFTER_CREATE",
    summary: `${resource} exists, so it cannot adopt ${asked}`,
    cause: "only a creation can adopt.",
    fixes: [
      { when: "to keep this one", line: "remove `adopt` from the program" },
      { when: `to manage ${asked}`, line: "declare it as another resource" },
    ],
  });
