import type { CloudServicesError } from "cloudservices-sdk";
import { isAmbiguous } from "../diagnostics/errors.js";
import type { ExistingResources } from "../stack/existing-resources.js";
import type { Operation } from "../stack/operation.js";
import { isProvenAbsent } from "./absence.js";
import { lookupFailed, nameInUse, outcomeUnknown, possibleDuplicate } from "./create-errors.js";
import {
  ATTEMPTS,
  adoptOrSkip,
  type Created,
  type Creation,
  createdUnder,
  expiresUnattended,
  nextCandidate,
  RETRY_PAUSE,
  searchAfter,
  sendCreate,
} from "./creation.js";
import { isDifferentResource, matchesRequest } from "./ownership.js";
import { requireSameId } from "./remote.js";

/** Pauses before each look, in milliseconds. A request may take effect long after its response was lost, and lists lag. */
const LOOKS = [1_000, 3_000, 6_000];

/** Creates a resource of a kind whose names may repeat. What appears between two lists, before and after the request, is ours. */
export async function createListed<I extends object, R extends object>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
): Promise<Created<R>> {
  const { kind, session } = operation;
  const before =
    order.identity && operation.capabilities.list ? await listedBefore(operation, order) : undefined;
  let candidate = order;
  for (let passed = 0; ; candidate = nextCandidate(operation, order, ++passed)) {
    const rival = before && (await inTheWay(operation, candidate, before));
    if (rival) {
      const found = adoptOrSkip(operation, candidate, rival);
      if (found) return found;
      if (passed === ATTEMPTS) throw nameInUse(operation, candidate, rival);
      continue;
    }
    const remote = await postOnce(operation, candidate, before);
    before?.add(remote);
    // Before any pause, so that another creation of this program does not take it for a duplicate.
    session.claims.markManaged(kind.name, kind.id(remote) ?? "");
    return createdUnder(remote, order, passed);
  }
}

/** Returns what exists, or undefined where that is unknown and the creation continues regardless. */
async function listedBefore<I extends object, R extends object>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
): Promise<ExistingResources<R> | undefined> {
  try {
    return await operation.scope.existing();
  } catch (error) {
    if (expiresUnattended(operation.kind) || operation.session.settings.duplicates === "allow")
      return undefined;
    throw lookupFailed(order, error);
  }
}

/**
 * Returns a resource that has the derived name already.
 *
 * @throws ResourceError when the name was given, and the resource that has it may be the program's own.
 */
async function inTheWay<I extends object, R extends object>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
  before: ExistingResources<R>,
): Promise<R | undefined> {
  const { kind, session } = operation;
  if (!order.derived && (expiresUnattended(kind) || session.settings.duplicates === "allow"))
    return undefined;
  for (const listed of before.all().filter((remote) => order.identity?.matches(remote, order.inputs))) {
    const id = kind.id(listed) ?? "";
    if (!order.derived && session.claims.isManaged(kind.name, id)) continue;
    const remote = await stillThere(operation, listed);
    if (remote === undefined) continue;
    if (order.derived) return remote;
    if (!isDifferentResource(kind, order.values, remote)) throw possibleDuplicate(operation, order, remote);
    operation.warn(
      `${order.resource} is created although the service has ${id} of the same ${order.identity?.by.join(" and ")}: other fields ` +
        "differ. If an interrupted run has left that one and the program was changed since, delete it at the service.",
    );
  }
  return undefined;
}

/** Returns the resource unless it was deleted since it was listed. One that cannot be read counts as existing. */
async function stillThere<I extends object, R extends object>(
  { kind, capabilities, session }: Operation<I, R>,
  listed: R,
): Promise<R | undefined> {
  const id = kind.id(listed);
  if (id === undefined || capabilities.read !== "direct") return listed;
  try {
    return requireSameId(kind, id, await kind.read(session.api, id));
  } catch (error) {
    return isProvenAbsent(error) ? undefined : listed;
  }
}

/** Sends the creation once. After a lost response, looks for what it created. */
async function postOnce<I extends object, R extends object>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
  before: ExistingResources<R> | undefined,
): Promise<R> {
  try {
    const remote = await sendCreate(operation, order);
    if (operation.kind.id(remote) || !before) return remote;
    return (await onlyNewcomer(operation, order, before)) ?? remote;
  } catch (error) {
    if (!isAmbiguous(error)) throw error;
    if (expiresUnattended(operation.kind)) return postAgain(operation, order, before, error);
    if (!before) throw outcomeUnknown(operation, order, error);
    return find(operation, order, before, error);
  }
}

/** Resources that match, did not exist before, and are not another resource of the program. */
function newcomers<I extends object, R extends object>(
  { kind, session }: Operation<I, R>,
  { identity, inputs }: Creation<I, R>,
  before: ExistingResources<R>,
) {
  return (items: readonly R[]): R[] | undefined => {
    const found = items.filter(
      (remote) =>
        identity?.matches(remote, inputs) &&
        !before.has(remote) &&
        !session.claims.isManaged(kind.name, kind.id(remote) ?? ""),
    );
    return found.length > 0 ? found : undefined;
  };
}

/** Returns what a creation made whose response shows no id. */
async function onlyNewcomer<I extends object, R extends object>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
  before: ExistingResources<R>,
): Promise<R | undefined> {
  const made = await operation.scope.search(newcomers(operation, order, before)).catch(() => undefined);
  return made?.length === 1 ? made[0] : undefined;
}

/** Looks for what a lost creation made. Not finding it proves nothing: the request may still take effect. */
async function find<I extends object, R extends object>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
  before: ExistingResources<R>,
  lost: CloudServicesError,
): Promise<R> {
  for (const pause of LOOKS) {
    await operation.session.clock.sleep(pause);
    const found = await searchAfter(operation, order, lost, newcomers(operation, order, before));
    if (!found) continue;
    // A derived name is ours, whatever other fields say.
    const fitting = order.derived
      ? found
      : found.filter((remote) => !isDifferentResource(operation.kind, order.values, remote));
    const [newcomer] = fitting;
    if (newcomer && order.derived && matchesRequest(operation.kind, order.values, newcomer)) return newcomer;
    // With several candidates, none is certain.
    if (newcomer) throw outcomeUnknown(operation, order, lost, fitting.length === 1 ? newcomer : undefined);
  }
  throw outcomeUnknown(operation, order, lost);
}

/** Retries the creation of a resource that expires unattended: a second one costs nothing. */
async function postAgain<I extends object, R extends object>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
  before: ExistingResources<R> | undefined,
  lost: CloudServicesError,
): Promise<R> {
  const { session } = operation;
  for (let attempt = 2; ; attempt++) {
    await session.clock.sleep(RETRY_PAUSE);
    const made = before && order.derived ? await onlyNewcomer(operation, order, before) : undefined;
    if (made && matchesRequest(operation.kind, order.values, made)) return made;
    try {
      const remote = await sendCreate(operation, order);
      operation.warn(
        `${order.resource} was created by request ${attempt}, because the response to the one before was lost. If that one was ` +
          "carried out as well, what it created expires by itself.",
      );
      return remote;
    } catch (error) {
      if (attempt === ATTEMPTS || !isAmbiguous(error)) throw outcomeUnknown(operation, order, lost);
    }
  }
}
