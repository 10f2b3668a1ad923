import { CloudServicesError, NotFoundError, RouteMissingError } from "cloudservices-sdk";
import { timeLimit } from "./durations.js";
import { messageOf, PartialFailure, ResourceError } from "./errors.js";
import { fieldsOf, inputsOf, type Kind, type UpdateContext } from "./kind.js";
import { describe, guard, heldInputs, keyChanged, type Memory, sameKey } from "./memory.js";
import { type Created, createOnce, disagreements } from "./once.js";
import { inputsHeld, outputsOf, withBeside } from "./outputs.js";
import { changedFields, effect } from "./plan.js";
import type { Scope } from "./scope.js";
import type { Session } from "./session.js";
import { changesOf, finish, seconds, waitFor } from "./settle.js";
import { isPresent, stringOf, URN_KEY, type Values } from "./values.js";

/** Before a deletion whose answer was lost is sent again, in milliseconds. */
const PAUSE = 500;

/** A resource as the engine keeps it. */
export interface Kept {
  readonly id: string;
  readonly outputs: Values;
  readonly inputs?: Values;
}

const isGone = (error: unknown): boolean => error instanceof NotFoundError && error.isProvenAbsent;

const documentedOnly = (session: Session): boolean => session.settings.api === "documented";

/** Says which resource an error is about; the sdk's message says what happened and to which request. */
function about(resource: string, doing: string, error: unknown): ResourceError {
  return error instanceof ResourceError
    ? error
    : new ResourceError(`${resource} could not be ${doing}: ${messageOf(error)}`);
}

export async function create<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
): Promise<Kept> {
  const { kind, session } = scope;
  const parse = (candidate: Values) => inputsOf(kind, candidate);
  const adopt = stringOf(values, "adopt");
  let created: Created<R>;
  try {
    created =
      adopt === undefined
        ? await createOnce(scope, values, parse)
        : { remote: await lookUpForAdoption(scope, values, adopt), resumed: true };
  } catch (error) {
    throw about(describe(kind, values), "created", error);
  }
  // Where the answer shows no id, the resource is known by the only name it has here.
  const id = adopt ?? kind.id(created.remote) ?? `unnamed:${stringOf(values, URN_KEY) ?? kind.name}`;
  session.manages(kind.name, id);
  if (kind.createIsIdempotent) session.succeeds(kind.name, id);
  scope.reader.forget(id);
  const asked = created.asked === undefined ? {} : { asked: created.asked };
  const unfinished = { id, values, previous: {}, remote: created.remote, ...asked };
  if (created.resumed) await takeOver(scope, values, id, created.remote);
  return { id, outputs: await finish(scope, unfinished, "create") };
}

/** Adopting reads where creating would post, and never takes what only replacement could make right. */
async function lookUpForAdoption<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
  id: string,
): Promise<R> {
  const { kind, session } = scope;
  const resource = describe(kind, values, id);
  const remote = documentedOnly(session) ? await readDocumented(scope, id) : await kind.read(session.api, id);
  if (remote === undefined || remote === "exists") {
    throw new ResourceError(
      `${resource} cannot be adopted: the specification shows no request that reads a ${kind.name} (cloudservices:api is documented).`,
    );
  }
  const differing = new Set(disagreements(kind, values, remote));
  const fixed = fieldsOf(kind)
    .filter(([field, input]) => differing.has(field) && input.onChange === "replace")
    .map(([field]) => field);
  if (fixed.length > 0) {
    throw new ResourceError(
      `${resource} cannot be adopted: its ${fixed.join(", ")} ${fixed.length === 1 ? "is" : "are"} not what the program asks for, ` +
        "and only a new resource could change that. Nothing was done. Make the program say what the resource is.",
    );
  }
  session.adopts(kind.name, id);
  return remote;
}

/** Applies what can be changed in place; what the service does not show is sent, as it may be different. */
async function takeOver<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
  id: string,
  remote: R,
): Promise<void> {
  const { kind, session } = scope;
  if (documentedOnly(session) || !kind.update) return;
  const inputs = inputsOf(kind, values);
  const differing = disagreements(kind, values, remote);
  const fields = fieldsOf(kind)
    .filter(
      ([field, input]) =>
        isPresent(values[field]) && input.onChange === "update" && (!input.from || differing.includes(field)),
    )
    .map(([field]) => field);
  if (fields.length === 0) return;
  const settled = waitFor(scope, values, id, "create", () => undefined);
  try {
    await kind.update(session.api, id, changesOf(kind, fields, inputs), {
      before: inputs,
      after: inputs,
      applied: () => undefined,
      settled,
    });
  } catch (error) {
    // What was not sent is not held, so that the next run sends it.
    const held = Object.fromEntries(Object.entries(values).filter(([field]) => !fields.includes(field)));
    const outputs = outputsOf(kind, session.settings, held, remote, {}, { settled: false });
    throw new PartialFailure(
      `${describe(kind, values, id)} was adopted, but not yet changed: ${messageOf(error)}`,
      id,
      outputs,
    );
  }
}

/** What the specification lets us know of a resource: itself, only that it exists, or nothing. */
async function readDocumented<I extends object, R extends object>(
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

/** A complete listing without the resource is as good a proof as the service's own "not found". */
class AbsentFromListing extends Error {
  override readonly message = "it is not in the service's list.";
}

/** Finds out what holds at the service. Nothing when the resource is proven to be gone. */
export async function read<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Values,
): Promise<Kept | undefined> {
  const { kind, session } = scope;
  const resource = describe(kind, props, id);
  const memory = guard(session.settings, resource, props);
  if (memory) session.manages(kind.name, id);
  if (kind.occurrence) {
    if (memory) return { id, outputs: props, inputs: inputsHeld(kind, props, props) };
    throw new ResourceError(`${resource} cannot be read with \`get\`: the service keeps no record of it.`);
  }
  let remote: R | "exists" | undefined;
  try {
    remote = await readRemote(scope, id);
  } catch (error) {
    if (!isGone(error) && !(error instanceof AbsentFromListing)) throw about(resource, "read", error);
    const ended = kind.ended?.(props, session.clock.now());
    if (ended) return { id, outputs: { ...props, ...ended }, inputs: inputsHeld(kind, props, props) };
    if (!sameKey(session.settings, memory)) throw keyChanged(resource);
    // Without a memory it is not a refresh: the program reads a resource that it takes to exist.
    if (!memory)
      throw new ResourceError(
        `${resource} does not exist at the service, so it cannot be read with \`get\`.`,
      );
    return undefined;
  }
  if (remote === undefined || remote === "exists")
    return { id, outputs: props, inputs: inputsHeld(kind, props, props) };

  const held = withBeside(heldInputs(kind, props), props);
  if (memory?.asked !== undefined && kind.naming) held[kind.naming.field] = props[kind.naming.field];
  const outputs = outputsOf(kind, session.settings, held, remote, props, found(kind, remote, memory));
  return { id, outputs, inputs: inputsHeld(kind, props, outputs) };
}

async function readRemote<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
): Promise<R | "exists" | undefined> {
  const { kind, session } = scope;
  if (documentedOnly(session)) return readDocumented(scope, id);
  try {
    return await scope.reader.read(id);
  } catch (error) {
    if (!(error instanceof RouteMissingError)) throw error;
    session.warnOnce(
      undefined,
      `${kind.name}: ${messageOf(error)} The state stays as it is, as with cloudservices:api documented.`,
    );
    return readDocumented(scope, id);
  }
}

/** A resource that was unfinished may have settled, or failed, while nobody was looking. */
function found<I extends object, R extends object>(kind: Kind<I, R>, remote: R, memory: Memory | undefined) {
  // What has worked is not unfinished for being busy, or broken, at the moment of a look.
  if (memory?.settled) return { settled: true };
  const phase = kind.settling?.phase(remote) ?? "settled";
  // What creation could not ask for may still be undone, so only a whole update says that it is settled.
  const settled = phase === "settled" && (kind.converge === undefined || memory?.settled !== false);
  const failed =
    phase === "failed" ? (kind.settling?.reason(remote) ?? kind.settling?.status(remote)) : undefined;
  return { settled, ...(failed === undefined ? {} : { failed }) };
}

export async function update<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  olds: Values,
  news: Values,
): Promise<Values> {
  const { kind, session } = scope;
  const resource = describe(kind, news, id);
  const memory = guard(session.settings, resource, olds);
  session.manages(kind.name, id);
  const before = heldInputs(kind, olds);
  const fields = changedFields(kind, before, news)
    .filter(([, input]) => effect(kind, input, news, session.settings) === "update")
    .map(([field]) => field);
  const values =
    memory?.asked === undefined
      ? news
      : { ...news, [kind.naming?.field ?? ""]: olds[kind.naming?.field ?? ""] };
  if (fields.length === 0 && memory?.settled !== false) {
    return outputsOf(kind, session.settings, values, undefined, olds, { settled: true });
  }

  const applied = new Set<string>();
  let remote: R | undefined;
  try {
    if (fields.length > 0) remote = await send(scope, id, { before, fields, values, applied });
    else if (!documentedOnly(session)) remote = await kind.read(session.api, id);
  } catch (error) {
    if (isGone(error)) {
      if (!sameKey(session.settings, memory)) throw keyChanged(resource);
      // Its target is gone, so there is nothing left to wait for.
      if (kind.occurrence)
        return outputsOf(kind, session.settings, values, undefined, olds, { settled: true });
      throw new ResourceError(
        `${resource} no longer exists at the service. Nothing was changed; run \`pulumi refresh\`, then \`pulumi up\`.`,
      );
    }
    // A kind that converges may have been left half-way (a server powered off), so the next run has to look after it.
    const untouched = applied.size === 0 && memory?.settled !== false && !kind.converge;
    if (untouched) throw about(resource, "updated", error);
    const holds = { ...before };
    for (const field of applied) holds[field] = values[field];
    const outputs = outputsOf(kind, session.settings, withBeside(holds, values), undefined, olds, {
      settled: false,
    });
    throw new PartialFailure(
      `${resource} is updated in part (${[...applied].join(", ") || "nothing yet"}): ${messageOf(error)}`,
      id,
      outputs,
    );
  }
  scope.reader.forget(id);
  return finish(scope, { id, values, previous: olds, remote }, "update");
}

async function send<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  change: { before: Values; fields: string[]; values: Values; applied: Set<string> },
): Promise<R | undefined> {
  const { kind, session } = scope;
  const after = inputsOf(kind, change.values);
  const context: UpdateContext<I, R> = {
    before: inputsOf(kind, { ...change.values, ...change.before }),
    after,
    applied: (...fields) => {
      for (const field of fields) change.applied.add(field);
    },
    settled: waitFor(scope, change.values, id, "update", () => undefined),
  };
  return kind.update?.(session.api, id, changesOf(kind, change.fields, after), context);
}

export async function remove<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Values,
): Promise<void> {
  const { kind, session } = scope;
  const resource = describe(kind, props, id);
  const memory = guard(session.settings, resource, props);
  if (session.isAdopted(kind.name, id)) {
    throw new ResourceError(
      `${resource} was not deleted: a creation of this run has adopted it, so it lives on under its new name. Take the old ` +
        "name out of the state with `pulumi state delete`. To rename a resource in the program, use the option `aliases`.",
    );
  }
  // The replacement has the same id: deleting the predecessor would delete the successor.
  if (session.isSucceeded(kind.name, id)) return;
  if (!kind.delete) return;
  if (documentedOnly(session)) return abandonOrRefuse(session, resource, props, kind.name);
  try {
    await deleteSurely(scope, id, props);
  } catch (error) {
    if (error instanceof RouteMissingError) return abandonOrRefuse(session, resource, props, kind.name);
    if (!isGone(error)) throw about(resource, "deleted", error);
    if (!kind.ended?.(props, session.clock.now()) && !sameKey(session.settings, memory))
      throw keyChanged(resource);
  }
}

function abandonOrRefuse(session: Session, resource: string, props: Values, kind: string): void {
  const why = documentedOnly(session)
    ? `the specification shows no request that deletes a ${kind} (cloudservices:api is documented)`
    : `the service has no route that deletes a ${kind}`;
  if (session.settings.undeletable === "error") {
    throw new ResourceError(
      `${resource} was not deleted: ${why}. To take it out of the state and leave it at the service, set the option ` +
        "`retainOnDelete: true` on it, or cloudservices:undeletable to abandon for the whole stack.",
    );
  }
  session.reporter.warn(
    stringOf(props, URN_KEY),
    `${resource} was left at the service: ${why}. It may go on costing money.`,
  );
}

/** Asks until it is certain: a deletion may be repeated, and its answer may be lost. */
async function deleteSurely<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  props: Values,
): Promise<void> {
  const { kind, session } = scope;
  const limit = timeLimit(props, "delete", kind.limits.delete);
  const startedAt = session.clock.now();
  for (let lost = 0; ; ) {
    try {
      await kind.delete?.(session.api, id);
      break;
    } catch (error) {
      const unsure = error instanceof CloudServicesError && error.outcome === "ambiguous";
      if (!unsure || ++lost === 3) throw error;
      await session.clock.sleep(PAUSE);
    }
  }
  scope.reader.forget(id);
  await kind.settling?.waitForAbsence?.(session.api, id, {
    timeout: Math.max(1, limit - (session.clock.now() - startedAt)),
    onPoll: ({ status = "not answering", elapsed }) =>
      session.reporter.status(
        stringOf(props, URN_KEY),
        `${status} for ${seconds(elapsed)} (limit ${seconds(limit)})`,
      ),
  });
}
