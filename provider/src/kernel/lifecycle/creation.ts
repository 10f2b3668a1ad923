import { CloudServicesError, UnreadableResponseError } from "cloudservices-sdk";
import { deriveName } from "../definition/auto-name.js";
import type { Identity, Kind, Naming } from "../definition/kind.js";
import { idIn, idInInputs } from "../definition/kind-values.js";
import { type Properties, stringOf } from "../definition/properties.js";
import { factOf, ResourceError } from "../diagnostics/errors.js";
import type { Operation } from "../stack/operation.js";
import { isProvenAbsent } from "./absence.js";
import { requireCompatible } from "./adopt.js";
import { nameInUse, outcomeUnknown } from "./create-errors.js";
import { readDocumented } from "./remote.js";

/** A resource to be created. */
export interface Creation<I, R extends object> {
  readonly values: Properties;
  readonly inputs: I;
  readonly naming: Naming<I, R> | undefined;
  readonly identity: Identity<I, R> | undefined;
  /** The name was derived, so only this resource uses it. */
  readonly derived: boolean;
  readonly resource: string;
  readonly parse: (values: Properties) => I;
  readonly progress: CreateProgress<R>;
}

/** What a creation has made so far. The id is set as soon as the service returns it. */
export interface CreateProgress<R> {
  id?: string;
  remote?: R;
  /** How often its request was sent, counted from the first lost response. */
  sent?: number;
}

export interface Created<R> {
  readonly remote: R;
  /** It was left by an interrupted run, and adopted because the user allowed that. */
  readonly resumed: boolean;
  /** The requested name, where it was taken and the next candidate was used. */
  readonly asked?: string;
}

/** How often a creation is sent that cannot create a duplicate, and how many taken names are skipped. */
export const ATTEMPTS = 3;

/** The pause before a creation is retried, in milliseconds. */
export const RETRY_PAUSE = 2_000;

export function creationOf<I extends object, R extends object>(
  operation: Operation<I, R>,
  values: Properties,
  parse: (values: Properties) => I,
  birth: CreateProgress<R>,
): Creation<I, R> {
  const { kind, session } = operation;
  const name = kind.naming && stringOf(values, kind.naming.field);
  return {
    values,
    inputs: parse(values),
    naming: kind.naming,
    identity: kind.identity,
    derived: name !== undefined && session.names.isDerived(operation.urn, name),
    resource: operation.describe(),
    parse,
    progress: birth,
  };
}

/** Returns the creation under the next derived name; `passed` counts the taken names. */
export function nextCandidate<I extends object, R extends object>(
  { urn, session }: Operation<I, R>,
  order: Creation<I, R>,
  passed: number,
): Creation<I, R> {
  const { naming } = order;
  if (!naming) return order;
  const asked = stringOf(order.values, naming.field);
  const seed = { urn, namespace: session.settings.namespace };
  const values = { ...order.values, [naming.field]: deriveName(naming.form, seed, asked, passed) };
  return { ...order, values, inputs: order.parse(values) };
}

/** Returns the result of a creation, with the requested name if another one was used. */
export function createdUnder<I extends object, R extends object>(
  remote: R,
  { naming, values }: Creation<I, R>,
  passed: number,
): Created<R> {
  const asked = naming && stringOf(values, naming.field);
  return { remote, resumed: false, ...(passed > 0 && asked !== undefined ? { asked } : {}) };
}

/**
 * Sends the creation and records the id in the response. A response that is unreadable, cut or stalled may still show the
 * id; then the resource is read.
 *
 * @throws ResourceError when the resource exists and cannot be read; `progress` has its id.
 */
export async function sendCreate<I extends object, R extends object>(
  operation: Operation<I, R>,
  { inputs, values, progress: birth }: Creation<I, R>,
): Promise<R> {
  const { kind, session } = operation;
  try {
    const remote = await kind.create(session.api, inputs);
    const id = idIn(kind, remote);
    if (id !== undefined) Object.assign(birth, { id, remote });
    return remote;
  } catch (error) {
    if (!(error instanceof CloudServicesError)) throw error;
    const { sent = 0 } = birth;
    if (error.outcome === "ambiguous" || (sent > 0 && error.outcome === "rejected")) birth.sent = sent + 1;
    const known = error instanceof UnreadableResponseError ? idInInputs(kind, values) : undefined;
    const id = error.resourceId || known;
    if (id === undefined) throw error;
    const isDirect = operation.capabilities.read === "direct";
    const reading = isDirect ? kind.read(session.api, id) : readDocumented(operation, id);
    const remote = await reading.catch((why: unknown) => {
      // A proxy may have sent a response without an id. A response with an id is the service's, and a 404 after it is a lag.
      if (!error.resourceId && isProvenAbsent(why)) throw error;
      return undefined;
    });
    birth.id = id;
    // Not the error itself, which would count as ambiguous and start a search.
    if (remote === undefined || remote === "exists")
      throw new ResourceError({ code: "NOT_READY", summary: factOf(error) });
    return remote;
  }
}

/** Searches the list after a lost response. If the list fails too, the creation stops. */
export async function searchAfter<I extends object, R extends object, T>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
  lost: CloudServicesError,
  pick: (items: readonly R[]) => T | undefined,
): Promise<T | undefined> {
  try {
    return await operation.scope.search(pick);
  } catch {
    throw outcomeUnknown(operation, order, lost);
  }
}

/** Decides about an existing resource with our derived name: adopts it, or returns undefined for the next name. */
export function adoptOrSkip<I extends object, R extends object>(
  operation: Operation<I, R>,
  order: Creation<I, R>,
  remote: R,
): Created<R> | undefined {
  const { kind, session } = operation;
  const id = kind.id(remote) ?? "";
  // It is in the state, so it is not a leftover: it is the predecessor in a forced replacement, or was renamed.
  if (session.claims.isManaged(kind.name, id)) return undefined;
  if (session.settings.adoptInterrupted) {
    requireCompatible(operation, order.values, id, remote);
    session.claims.markAdopted(kind.name, id, operation.urn);
    operation.warn(
      `${order.resource} was adopted as ${id}, which an interrupted run left (cloudservices:adoptInterrupted).`,
    );
    return { remote, resumed: true };
  }
  if (session.settings.duplicates === "error") throw nameInUse(operation, order, remote);
  operation.warn(
    `${order.resource} is created beside ${id}, which has the ${order.naming?.field} that is derived for it ` +
      "(cloudservices:duplicates is allow). If an interrupted run has left that one, delete it at the service.",
  );
  return undefined;
}

/** Whether the kind's resources expire unattended, so that a second one is harmless. */
export const expiresUnattended = <I extends object, R extends object>(kind: Kind<I, R>): boolean =>
  kind.naming?.expires !== undefined;
