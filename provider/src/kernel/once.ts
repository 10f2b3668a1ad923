import {
  CloudServicesError,
  ConflictError,
  RouteMissingError,
  UnreadableAnswerError,
} from "cloudservices-sdk";
import type { Census } from "./census.js";
import { messageOf, ResourceError } from "./errors.js";
import { fieldsOf, type Identity, type Kind, type Naming } from "./kind.js";
import { describe } from "./memory.js";
import { deriveName } from "./names.js";
import { occur } from "./occurrence.js";
import { same } from "./plan.js";
import type { Scope } from "./scope.js";
import type { Session } from "./session.js";
import { isPresent, stringOf, URN_KEY, type Values } from "./values.js";

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

interface Order<I, R extends object> {
  readonly values: Values;
  readonly inputs: I;
  readonly naming: Naming<I, R> | undefined;
  readonly identity: Identity<I, R> | undefined;
  /** The name is ours alone: no one else would ask for it. */
  readonly derived: boolean;
  readonly resource: string;
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

const isAmbiguous = (error: unknown): error is CloudServicesError =>
  error instanceof CloudServicesError && error.outcome === "ambiguous";

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
  const present = before.all().filter((remote) => identity.matches(remote, inputs));
  const [first] = present;
  if (first && order.derived) return foundBefore(scope, order, first);
  const stray = present.find((remote) => !session.isManaged(kind.name, kind.id(remote) ?? ""));
  if (stray && refusesDuplicates(scope)) throw duplicate(scope, order, stray);

  let remote: R;
  try {
    remote = await post(scope, inputs);
  } catch (error) {
    if (!isAmbiguous(error)) throw error;
    remote = await find(scope, order, before, error);
  }
  before.add(remote);
  // At once, so that another creation of this program that asks for the same is not taken for a duplicate.
  session.manages(kind.name, kind.id(remote) ?? "");
  return { remote, resumed: false };
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
      if (!(error instanceof ConflictError)) throw lost ? stopped(scope, order, lost.error) : error;
      if (!canList(scope) || !naming || !identity)
        throw lost ? stopped(scope, order, lost.error) : taken(candidate, error);
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
      if (!candidate.derived) throw taken(candidate, error);
      if (rival) return foundBefore(scope, candidate, rival);
      // Not in our account: by chance, a stranger has the name that was derived for us.
      strangers++;
      if (strangers > ATTEMPTS) throw taken(candidate, error);
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

export function disagreements<I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Values,
  remote: R,
): string[] {
  return fieldsOf(kind)
    .filter(([field, input]) => {
      const said = input.from?.(remote);
      return isPresent(values[field]) && isPresent(said) && !same(input, values[field], said);
    })
    .map(([field]) => field);
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
    session.adopts(kind.name, id);
    session.reporter.warn(
      stringOf(order.values, URN_KEY),
      `${order.resource} was found at the service as ${id}, left by an interrupted run; it was taken over (cloudservices:adoptInterrupted).`,
    );
    return { remote, resumed: true };
  }
  const name = order.naming ? stringOf(order.values, order.naming.field) : undefined;
  const expiry = order.naming?.expires?.(remote);
  throw new ResourceError(
    [
      `${order.resource} was not created: the service already has ${id}, whose ${order.naming?.field} is the one that this`,
      `resource asks for, ${JSON.stringify(name)}.`,
      managed
        ? "It is in this stack's state, as the predecessor in a forced replacement or under another name."
        : "An interrupted run has left it, a stack of the same name on this account owns it, or a forced replacement is to replace it.",
      managed
        ? ""
        : session.names.isReplacement(stringOf(order.values, URN_KEY) ?? "")
          ? "If an interrupted replacement has left it, set cloudservices:adoptInterrupted to true."
          : `If it is yours, take it over with the input adopt: ${JSON.stringify(id)}, or set cloudservices:adoptInterrupted to true.`,
      managed
        ? `Give the new one a ${order.naming?.field} of its own.`
        : `If it belongs to another stack, set cloudservices:namespace here. In a forced replacement, give the new one a ${order.naming?.field} of its own.`,
      expiry ? `Left alone, it expires by itself at ${expiry}.` : "",
    ]
      .filter(Boolean)
      .join(" "),
  );
}

/**
 * The service has what the program asks for, under a name that the program gave: an interrupted run has left it, or
 * it is somebody's. Nothing can tell which, and a second one may be the last thing that anybody wants.
 */
function duplicate<I extends object, R extends object>(
  { kind, session }: Scope<I, R>,
  order: Order<I, R>,
  remote: R,
): ResourceError {
  const id = kind.id(remote) ?? "";
  const by = order.identity?.by ?? [];
  const replaces = session.names.isReplacement(stringOf(order.values, URN_KEY) ?? "");
  return new ResourceError(
    [
      `${order.resource} was not created: the service already has ${id} with the same ${by.join(" and ")}, and nothing in`,
      "this run shows whose it is.",
      replaces
        ? "If an interrupted replacement has left it, delete it at the service and run `pulumi up` again."
        : `If an interrupted run has left it, or it is yours otherwise, take it over with the input adopt: ${JSON.stringify(id)}.`,
      "If it is this stack's own under an earlier name in the program, use the option `aliases`; in a forced replacement,",
      `use \`deleteBeforeReplace: true\`. If it is somebody else's, give this one ${by.length > 1 ? "others" : `another ${by[0]}`},`,
      "or set cloudservices:duplicates to allow.",
    ].join(" "),
  );
}

/** The honest end of a creation of which nobody can say whether it took effect. */
function stopped<I extends object, R extends object>(
  scope: Scope<I, R>,
  order: Order<I, R>,
  error: CloudServicesError,
  candidate?: R,
): ResourceError {
  const { kind, session } = scope;
  const id = candidate && kind.id(candidate);
  const name = order.naming && stringOf(order.values, order.naming.field);
  const when = new Date(
    error.timestamp === undefined ? session.clock.now() : error.timestamp * 1_000,
  ).toISOString();
  const expiry = candidate && order.naming?.expires?.(candidate);
  return new ResourceError(
    [
      `${order.resource} may or may not have been created: ${messageOf(error)}`,
      `That was at ${when}${error.timestamp ? " by the service's clock" : ""}, request ${error.requestId ?? "without an id"}.`,
      "It was not sent again, so that it is not created twice.",
      id
        ? `The service has ${id}, which may be the one${name === undefined ? "" : ` (${order.naming?.field} ${JSON.stringify(name)})`}.`
        : `Look for a ${kind.name}${name === undefined ? "" : ` named ${JSON.stringify(name)}`} at the service.`,
      `If it is there, take it over with the input adopt: ${JSON.stringify(id ?? "<its id>")};`,
      "if not, run `pulumi up` again.",
      expiry ? `Left alone, it expires by itself at ${expiry}.` : "",
    ]
      .filter(Boolean)
      .join(" "),
  );
}

function taken<I, R extends object>(order: Order<I, R>, error: CloudServicesError): ResourceError {
  const field = order.naming?.field ?? "name";
  return new ResourceError(
    `${order.resource} was not created: ${messageOf(error)} ` +
      `The ${field} ${JSON.stringify(stringOf(order.values, field))} is taken. Choose another or leave it out to have one derived. ` +
      "If the old resource of this very name is being replaced, set the option `deleteBeforeReplace: true`; " +
      'if it is one of yours, take it over with the input adopt: "<its id>".',
  );
}
