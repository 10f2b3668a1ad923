import { CloudServicesError, ConflictError, RateLimitError } from "cloudservices-sdk";
import { isPresent } from "../definition/properties.js";
import { isAmbiguous } from "../diagnostics/errors.js";
import { timeLeft } from "../stack/deadline.js";
import type { Operation } from "../stack/operation.js";
import { outcomeUnknown } from "./create-errors.js";
import {
  ATTEMPTS,
  adoptOrSkip,
  type Created,
  type Creation,
  createdUnder,
  nextCandidate,
  RETRY_PAUSE,
  searchAfter,
  sendCreate,
} from "./creation.js";
import { nameTaken } from "./name-taken.js";
import { matchesRequest, type ServiceTime, wasCreatedAfter } from "./ownership.js";

/** A creation whose response was lost. */
interface Lost {
  readonly error: CloudServicesError;
  /** When it was first sent, by our clock. */
  readonly at: number;
}

/** What follows a failed request: send it again, look for what it created, look who has the name, or fail. */
type Next = "retry" | "find" | "name" | "fail";

/** Creates a resource whose name the service allows only once. A retry cannot create a duplicate, and a conflict shows that one exists. */
export async function createUnique<I extends object, R extends object>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
): Promise<Created<R>> {
  const { session } = operation;
  const field = order.naming?.field;
  let candidate = order;
  let passed = 0;
  let lost: Lost | undefined;
  let theirs: ServiceTime | undefined;
  for (let attempt = 1; ; attempt++) {
    const at = session.clock.now();
    try {
      const remote = await sendCreate(operation, candidate);
      operation.scope.noteCreated(candidate.values, remote);
      return createdUnder(remote, order, passed);
    } catch (error) {
      if (!(error instanceof CloudServicesError))
        throw lost && order.progress.id === undefined ? outcomeUnknown(operation, order, lost.error) : error;
      if (isAmbiguous(error)) lost ??= { error, at };
      if (error.timestamp !== undefined) theirs = { timestamp: error.timestamp, at: session.clock.now() };
      const canRetry = attempt < ATTEMPTS && timeLeft() > 0;
      const next = afterFailure(error, field, lost !== undefined, canRetry);
      if (next === "fail") throw error;
      if (next === "find" && lost)
        return { remote: await ours(operation, candidate, lost, theirs), resumed: false };
      if (next === "retry") {
        await session.clock.sleep(RETRY_PAUSE);
        continue;
      }
      const found = await holder(operation, candidate, error);
      if (found) return found;
      passed++;
      if (passed > ATTEMPTS) throw nameTaken(operation, candidate, error);
      attempt = 0;
      candidate = nextCandidate(operation, order, passed);
    }
  }
}

/**
 * Decides what follows a failed request.
 *
 * @param field - The name's field.
 * @param isLost - This request or an earlier one may have created the resource.
 */
function afterFailure(
  error: CloudServicesError,
  field: string | undefined,
  isLost: boolean,
  canRetry: boolean,
): Next {
  // The list may show that an earlier attempt succeeded.
  if (isLost) return canRetry && mayPass(error) ? "retry" : "find";
  return isTaken(error, field) ? "name" : "fail";
}

const isTaken = (error: CloudServicesError, field: string | undefined): boolean =>
  error instanceof ConflictError && (error.field ?? field) === field;

/** The same request may succeed later. */
const mayPass = (error: CloudServicesError): boolean =>
  error.outcome !== "rejected" || error instanceof RateLimitError;

/** Returns the resources that may have the name, or undefined where there are none. */
function named<I extends object, R extends object>({ identity, inputs }: Creation<I, R>) {
  return (items: readonly R[]): R[] | undefined => {
    const found = items.filter((remote) => identity?.matches(remote, inputs));
    return found.length > 0 ? found : undefined;
  };
}

/** Returns the resource that our own request created, after its response was lost. */
async function ours<I extends object, R extends object>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
  { error, at }: Lost,
  theirs: ServiceTime | undefined,
): Promise<R> {
  const { kind, session } = operation;
  const { naming } = order;
  if (!naming || !operation.capabilities.list) throw outcomeUnknown(operation, order, error);
  const { inputs, isCertain } = operation.scope.completed(order.inputs);
  const found = await searchAfter(operation, order, error, named({ ...order, inputs }));
  const [rival, ...others] = found ?? [];
  // Our resource may exist and not be listed yet.
  if (!rival) throw outcomeUnknown(operation, order, error);
  const isKnown = isCertain || order.derived || !isOfAnother(operation, order, rival);
  if (others.length > 0 || !isKnown) throw outcomeUnknown(operation, order, error);
  const isOurs =
    !session.claims.isManaged(kind.name, kind.id(rival) ?? "") &&
    matchesRequest(kind, order.values, rival) &&
    wasCreatedAfter(naming, rival, theirs, at);
  if (isOurs) return rival;
  throw outcomeUnknown(operation, order, error, rival);
}

/** Whether another resource of the program describes this one, by giving the field that ours leaves to the service. */
function isOfAnother<I extends object, R extends object>(
  { kind, session, urn }: Operation<I, R>,
  { identity }: Creation<I, R>,
  remote: R,
): boolean {
  return session.names.declared.others(kind.name, urn).some(([, { inputs }]) => {
    const chosen = identity?.chosen && inputs[identity.chosen];
    return isPresent(chosen) && matchesRequest(kind, inputs, remote);
  });
}

/** Decides about a taken name. Returns the resource to adopt, or undefined where the next name is tried. */
async function holder<I extends object, R extends object>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
  refusal: CloudServicesError,
): Promise<Created<R> | undefined> {
  const { settings } = operation.session;
  if (!operation.capabilities.list) throw nameTaken(operation, order, refusal);
  const { inputs, isCertain } = operation.scope.completed(order.inputs);
  let found: R[] | undefined;
  try {
    // A derived name is ours on every domain.
    found = await operation.scope.search(named(order.derived ? order : { ...order, inputs }));
  } catch (error) {
    if (order.derived && settings.duplicates === "allow") return undefined;
    throw nameTaken(operation, order, refusal, { unlisted: error });
  }
  if (!order.derived) throw nameTaken(operation, order, refusal, { holders: found ?? [], isCertain });
  const [rival] = found ?? [];
  // Undefined: by chance, another account has the derived name.
  return rival && adoptOrSkip(operation, order, rival);
}
