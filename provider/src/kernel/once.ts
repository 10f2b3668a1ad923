import {
  type CloudServicesError,
  ConflictError,
  RouteMissingError,
  UnreadableAnswerError,
} from "cloudservices-sdk";
import { requireFitting } from "./adopt.js";
import type { Census } from "./census.js";
import { disagreements } from "./changes.js";
import type { Kind, Naming } from "./kind.js";
import { describe } from "./memory.js";
import { deriveName } from "./names.js";
import { occur } from "./occurrence.js";
import { duplicate, existing, type Order, stopped, taken } from "./refusals.js";
import { isAmbiguous, isGone, proven } from "./remote.js";
import type { Scope } from "./scope.js";
import type { Session } from "./session.js";
import { stringOf, URN_KEY, type Values } from "./values.js";

/** How often a creation is sent that cannot double, and how many strangers' names are passed over. */
const ATTEMPTS = 3;

/** Before a creation is sent again that the service itself keeps from doubling, in milliseconds. */
const PAUSE = 2_000;

/** A request may be carried out long after its answer was lost, and listings lag behind: when to look, in milliseconds. */
const LOOKS = [1_000, 3_000, 6_000];

export interface Created<R> {
  readonly remote: R;
  /** It was there before: left by an interrupted run, and taken over because the user allowed that. */
  readonly resumed: boolean;
  /** The name that was asked for, where a stranger had it and the next candidate was taken. */
  readonly asked?: string;
}

/**
 * Creates a resource exactly once. A creation whose answer was lost is never simply sent again: what the service
 * lists decides, and where nothing can decide, it stops and says what may exist.
 */
export async function createOnce<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
  parse: (values: Values) => I,
): Promise<Created<R>> {
  const { kind, session } = scope;
  const inputs = parse(values);
  const name = kind.naming && stringOf(values, kind.naming.field);
  const order: Order<I, R> = {
    values,
    inputs,
    naming: kind.naming,
    identity: kind.identity,
    derived: name !== undefined && session.names.isDerived(stringOf(values, URN_KEY) ?? "", name),
    resource: describe(kind, values),
  };
  if (kind.createIsIdempotent) return { remote: await kind.create(session.api, inputs), resumed: false };
  if (kind.occurrence) return { remote: await occur(scope, values, inputs, kind.occurrence), resumed: false };
  if (kind.naming?.unique) return createUnique(scope, order, parse);
  return createListed(scope, order);
}

/** An answer that cannot be read may still have shown the id: then nothing is lost, and the resource is read. */
async function post<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  inputs: I,
): Promise<R> {
  try {
    return await kind.create(session.api, inputs);
  } catch (error) {
    const id = error instanceof UnreadableAnswerError ? error.resourceId : undefined;
    if (id === undefined || session.settings.api === "documented") throw error;
    return kind.read(session.api, id).catch(() => {
      throw error;
    });
  }
}

/** The service lets us list the kind, so a lost creation can be looked for. */
const canList = <I extends object, R extends object>({ kind, session }: Scope<I, R>): boolean =>
  kind.list !== undefined && (session.settings.api === "conventional" || kind.documented?.list === true);

/** A name is no proof by itself: the evidence is what was listed before our request, and what after it. */
async function createListed<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Order<I, R>,
): Promise<Created<R>> {
  const { kind, session } = scope;
  const { identity, inputs } = order;
  if (!identity || !canList(scope)) return createBlindly(scope, order);

  const before = await scope.census().catch((error: unknown) => {
    if (error instanceof RouteMissingError) return undefined;
    throw error;
  });
  if (!before) return createBlindly(scope, order);
  const inTheWay = (remote: R) =>
    order.derived || (refusesDuplicates(scope) && !session.isManaged(kind.name, kind.id(remote) ?? ""));
  for (const listed of before.all().filter((remote) => identity.matches(remote, inputs))) {
    const remote = inTheWay(listed) ? await stillThere(scope, listed) : undefined;
    if (remote && order.derived) return foundBefore(scope, order, remote);
    if (remote) throw duplicate(scope, order, remote);
  }

  let remote: R;
  try {
    remote = await post(scope, inputs);
  } catch (error) {
    if (!isAmbiguous(error)) throw error;
    remote = await find(scope, order, before, error);
  }
  if (!kind.id(remote)) remote = (await namedIn(scope, order, before)) ?? remote;
  before.add(remote);
  // At once, so that another creation of this program that asks for the same is not taken for a duplicate.
  session.manages(kind.name, kind.id(remote) ?? "");
  return { remote, resumed: false };
}

/** The census is of one moment, and nobody stands in the way who has gone since. Who cannot be asked about is there. */
async function stillThere<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  listed: R,
): Promise<R | undefined> {
  const id = kind.id(listed);
  if (id === undefined || session.settings.api === "documented") return listed;
  try {
    return proven(kind, id, await kind.read(session.api, id));
  } catch (error) {
    return isGone(error) ? undefined : listed;
  }
}

/** What a creation has made whose answer shows no id: the one that is there now, was not before, and is what was asked for. */
async function namedIn<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Order<I, R>,
  before: Census<R>,
): Promise<R | undefined> {
  const listed = await scope.listAll().catch(() => []);
  const made = listed.filter(
    (remote) => order.identity?.matches(remote, order.inputs) && !before.has(remote),
  );
  return made.length === 1 ? made[0] : undefined;
}

/** What expires by itself does no harm twice. */
const refusesDuplicates = <I extends object, R extends object>({ kind, session }: Scope<I, R>): boolean =>
  session.settings.duplicates === "error" && kind.naming?.expires === undefined;

/** Looks for what a lost creation has made. That it is not there does not prove that it will not be. */
async function find<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Order<I, R>,
  before: Census<R>,
  lost: CloudServicesError,
): Promise<R> {
  for (const pause of LOOKS) {
    await scope.session.clock.sleep(pause);
    const newcomer = (await lookAfter(scope, order, lost)).find(
      (remote) => order.identity?.matches(remote, order.inputs) && !before.has(remote),
    );
    if (newcomer && order.derived && agrees(scope.kind, order.values, newcomer)) return newcomer;
    if (newcomer) throw stopped(scope, order, lost, newcomer);
  }
  throw stopped(scope, order, lost);
}

/** What the service has after an answer was lost; when it cannot be asked either, nobody can tell. */
async function lookAfter<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Order<I, R>,
  lost: CloudServicesError,
): Promise<R[]> {
  try {
    return await scope.listAll();
  } catch {
    throw stopped(scope, order, lost);
  }
}

/** Nothing tells whether a lost creation took effect, so it is sent once only. */
async function createBlindly<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Order<I, R>,
): Promise<Created<R>> {
  try {
    return { remote: await post(scope, order.inputs), resumed: false };
  } catch (error) {
    throw isAmbiguous(error) ? stopped(scope, order, error) : error;
  }
}

/** The service itself refuses a second one, so sending again cannot double; a refusal shows that there is one. */
async function createUnique<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Order<I, R>,
  parse: (values: Values) => I,
): Promise<Created<R>> {
  const { kind, session } = scope;
  const { naming, identity } = order;
  const asked = stringOf(order.values, naming?.field ?? "");
  let candidate = order;
  let strangers = 0;
  let lost: { readonly error: CloudServicesError; readonly at: number } | undefined;

  for (let attempt = 1; ; attempt++) {
    const at = session.clock.now();
    try {
      const remote = await post(scope, candidate.inputs);
      return { remote, resumed: false, ...(strangers > 0 && asked !== undefined ? { asked } : {}) };
    } catch (error) {
      if (isAmbiguous(error)) lost ??= { error, at };
      if (isAmbiguous(error) && attempt < ATTEMPTS) {
        await session.clock.sleep(PAUSE);
        continue;
      }
      const isTaken = error instanceof ConflictError && (error.field ?? naming?.field) === naming?.field;
      if (!isTaken) throw lost ? stopped(scope, order, lost.error) : error;
      if (!canList(scope) || !naming || !identity)
        throw lost ? stopped(scope, order, lost.error) : taken(scope, candidate, error);
      const listed = lost ? await lookAfter(scope, order, lost.error) : await scope.listAll();
      const rival = listed.find((remote) => identity.matches(remote, candidate.inputs));
      if (lost && rival) {
        if (
          candidate.derived &&
          agrees(kind, candidate.values, rival) &&
          bornAfter(naming, rival, error, lost.at, session)
        ) {
          return { remote: rival, resumed: false };
        }
        throw stopped(scope, order, lost.error, rival);
      }
      // Something has the slug, and it may be what we asked for before: a listing may lag behind.
      if (lost) throw stopped(scope, order, lost.error);
      if (!candidate.derived) throw taken(scope, candidate, error);
      if (rival) return foundBefore(scope, candidate, rival);
      // Not in our account: by chance, a stranger has the name that was derived for us.
      strangers++;
      if (strangers > ATTEMPTS) throw taken(scope, candidate, error);
      attempt = 0;
      candidate = withCandidate(order, session, strangers, parse);
    }
  }
}

function withCandidate<I extends object, R extends object>(
  order: Order<I, R>,
  session: Session,
  attempt: number,
  parse: (values: Values) => I,
): Order<I, R> {
  const { naming } = order;
  if (!naming) return order;
  const asked = stringOf(order.values, naming.field);
  const seed = { urn: stringOf(order.values, URN_KEY) ?? "", namespace: session.settings.namespace };
  const values = { ...order.values, [naming.field]: deriveName(naming.form, seed, asked, attempt) };
  return { ...order, values, inputs: parse(values) };
}

/** By the service's own clock, the resource came to be after our request went out. */
function bornAfter<I, R extends object>(
  naming: Naming<I, R>,
  remote: R,
  answer: CloudServicesError,
  sentAt: number,
  session: Session,
): boolean {
  const born = Date.parse(naming.createdAt?.(remote) ?? "");
  const theirNow = answer.timestamp === undefined ? undefined : answer.timestamp * 1_000;
  if (Number.isNaN(born) || theirNow === undefined) return false;
  // The service tells whole seconds.
  return born >= theirNow - (session.clock.now() - sentAt) - 1_500;
}

/** Every field that the service returns is as we would have created it. */
function agrees<I extends object, R extends object>(kind: Kind<I, R>, values: Values, remote: R): boolean {
  return disagreements(kind, values, remote).length === 0;
}

function foundBefore<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Order<I, R>,
  remote: R,
): Created<R> {
  const { kind, session } = scope;
  const id = kind.id(remote) ?? "";
  const managed = session.isManaged(kind.name, id);
  if (session.settings.adoptInterrupted && !managed) {
    requireFitting(scope, order.values, id, remote);
    const urn = stringOf(order.values, URN_KEY);
    session.adopts(kind.name, id);
    if (urn !== undefined) scope.takenOver.set(id, urn);
    session.reporter.warn(
      urn,
      `${order.resource} was found at the service as ${id}, left by an interrupted run; it was taken over (cloudservices:adoptInterrupted).`,
    );
    return { remote, resumed: true };
  }
  throw existing(scope, order, remote);
}
