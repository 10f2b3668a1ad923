import { randomUUID } from "node:crypto";
import { FailedStateError } from "cloudservices-sdk";
import { isGone, toldAt } from "./absence.js";
import { lookUpForAdoption, takeOver } from "./adopt.js";
import { effect } from "./changes.js";
import { PartialFailure, ResourceError } from "./errors.js";
import { keeping, unfinished } from "./keep.js";
import { fieldsOf, idIn, inputsOf } from "./kind.js";
import { describe, guard, heldInputs, keyChanged, recall, sameKey } from "./memory.js";
import { afterAbsence, repair, withoutResource } from "./missing.js";
import { changedSince } from "./normalised.js";
import { type Birth, type Created, createOnce } from "./once.js";
import { type Kept, outputsOf, withBeside } from "./outputs.js";
import { requirePredecessor } from "./predecessor.js";
import { about, canAdopt, isAmbiguous, isUnnamed, NO_ID, proven, unnamed } from "./remote.js";
import { remove } from "./remove.js";
import type { Scope } from "./scope.js";
import { changesOf, contextOf, finish, Progress, waitFor } from "./settle.js";
import { stringOf, URN_KEY, type Values } from "./values.js";

export async function create<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
): Promise<Kept> {
  const { kind, session } = scope;
  const parse = (candidate: Values) => inputsOf(kind, candidate);
  const adopt = stringOf(values, "adopt");
  await requirePredecessor(scope, stringOf(values, URN_KEY) ?? "");
  const entry = randomUUID();
  const birth: Birth<R> = {};
  let created: Created<R>;
  try {
    created =
      adopt === undefined
        ? await createOnce(scope, values, parse, birth)
        : { remote: await lookUpForAdoption(scope, values, adopt), resumed: true };
  } catch (error) {
    const { id, ...known } = birth;
    if (id !== undefined && !(error instanceof PartialFailure)) {
      session.holds(kind.name, id, entry, describe(kind, values, id));
      throw unfinished(
        scope,
        { id, values, previous: {}, remote: undefined, ...known, found: { entry } },
        error,
      );
    }
    if (isGone(error)) throw withoutResource(scope, values, adopt, error);
    throw about(describe(kind, values), adopt === undefined ? "created" : "adopted", error);
  }
  // Where the answer shows no id, the resource is known by the only name it has here.
  const id = adopt ?? idIn(kind, created.remote) ?? unnamed(stringOf(values, URN_KEY) ?? kind.name);
  session.names.created(stringOf(values, URN_KEY) ?? "", id);
  // What was there before has worked before, whatever it is doing now.
  // Under the next derived name, the one of the inputs was never sent.
  const unsent = created.asked === undefined ? undefined : kind.naming?.field;
  const sent = Object.keys(kind.inputs).filter((field) => field !== unsent);
  const found = { entry, everSettled: created.resumed, sent };
  const existing = { id, values, previous: {}, remote: created.remote, found };
  try {
    const outputs = await keeping(scope, existing, () => complete(scope, { ...existing, created }));
    return { id, outputs };
  } catch (error) {
    throw created.resumed ? error : await withoutWreck(scope, id, error);
  }
}

/** Makes what exists from now on what the program asks for, and waits until it can be used. */
async function complete<I extends object, R extends object>(
  scope: Scope<I, R>,
  born: {
    id: string;
    values: Values;
    created: Created<R>;
    found: { entry: string; everSettled: boolean; sent: string[] };
  },
): Promise<Values> {
  const { kind, session } = scope;
  const { id, values, created, found } = born;
  session.holds(kind.name, id, found.entry, describe(kind, values, id));
  if (kind.createIsIdempotent) session.succeeds(kind.name, id);
  scope.reader.forget(id);
  const asked = created.asked === undefined ? {} : { asked: created.asked };
  const unfinished = {
    id,
    values,
    previous: {},
    remote: created.remote,
    ...found,
    converges: true,
    ...asked,
  };
  if (!created.resumed) return finish(scope, unfinished, "create");
  const isLeftover = stringOf(values, "adopt") === undefined;
  const progress = new Progress();
  const adopted = { id, remote: created.remote, isLeftover, entry: found.entry, progress };
  const remote = await takeOver(scope, values, adopted);
  return finish(scope, { ...unfinished, remote, progress }, "create");
}

/**
 * A creation that has failed for good leaves nothing: kept in the state, it would stand in the way, and in a
 * replacement the engine would take it for the successor and delete the predecessor that works.
 */
async function withoutWreck<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof PartialFailure) || recall({ ...error.outputs })?.failed === undefined) return error;
  if (scope.kind.occurrence) return error;
  try {
    await remove(scope, id, { ...error.outputs });
  } catch {
    return error;
  }
  return new ResourceError(
    `${describe(scope.kind, { ...error.outputs }, id)} could not be created: ${error.why ?? error.message} ` +
      "What was left of it has been deleted; run `pulumi up` to try again.",
  );
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
  const changed = new Map(changedSince(kind, olds, news));
  const fields = fieldsOf(kind)
    .filter(([field]) => changed.has(field) || memory?.uncertain?.includes(field))
    .filter(([, input]) => effect(kind, input, news, session.settings) === "update")
    .map(([field]) => field);
  // Another resource had the name that the inputs ask for; until they ask for another one, it keeps the one it has.
  const name = kind.naming?.field ?? "";
  const substitute = memory?.asked === undefined ? {} : { [name]: olds[name] };
  const values = news[name] === memory?.asked ? { ...news, ...substitute } : news;
  if (fields.length === 0 && memory?.settled !== false) {
    return outputsOf(kind, session.settings, values, undefined, olds, { settled: true });
  }

  if (isUnnamed(id)) {
    throw new ResourceError(
      `${resource} was not changed: ${NO_ID}. Delete it at the service, take it out of the state with \`pulumi state delete\`, ` +
        `and run \`pulumi up\` again${canAdopt(scope) ? "; or find its id there and declare it with the input adopt" : ""}.`,
    );
  }
  const progress = new Progress(memory?.owed);
  const { applied } = progress;
  let remote: R | undefined;
  try {
    if (fields.length > 0) remote = await send(scope, id, { before, fields, values, progress });
    else if (session.settings.api !== "documented")
      remote = proven(kind, id, await kind.read(session.api, id));
  } catch (error) {
    if (isGone(error)) {
      if (kind.ended?.(olds, toldAt(error, session.clock))) throw hasEnded(resource);
      if (!sameKey(session.settings, memory)) throw keyChanged(resource);
      // Its target is gone, so there is nothing left to wait for.
      if (kind.occurrence)
        return outputsOf(kind, session.settings, values, undefined, olds, { settled: true });
      throw new ResourceError(
        `${resource} no longer exists at the service. Nothing was changed; ${afterAbsence(scope, id, stringOf(news, URN_KEY))}`,
      );
    }
    // A kind that converges may have been left half-way (a server powered off), so the next run has to look after it.
    const isUnsure = isAmbiguous(error);
    const uncertain = isUnsure ? fields.filter((field) => !applied.has(field)) : [];
    const untouched =
      applied.size === 0 && memory?.settled !== false && !kind.converge && uncertain.length === 0;
    if (untouched) throw about(resource, "updated", error);
    const holds = { ...before, ...substitute };
    for (const field of applied) holds[field] = values[field];
    const outputs = outputsOf(kind, session.settings, withBeside(holds, values), undefined, olds, {
      settled: false,
      owed: progress.owed,
      ...(uncertain.length > 0 ? { uncertain } : {}),
    });
    const how =
      !isUnsure && applied.size > 0
        ? `is updated in part (${[...applied].join(", ")})`
        : `${isUnsure ? "may or may not have been" : "was not"} updated`;
    const way = error instanceof FailedStateError ? ` ${repair(scope, id, news)}` : "";
    throw new PartialFailure(`${resource} ${how}: ${progress.explain(error)}${way}`, id, outputs);
  }
  scope.reader.forget(id);
  // Nobody asked for anything else to be brought about.
  const converges = memory?.settled === false || fields.some((field) => changed.get(field)?.converges);
  const existing = { id, values, previous: olds, remote };
  const work = { ...existing, converges, progress, sent: fields };
  return keeping(scope, { ...existing, found: { sent: fields } }, () => finish(scope, work, "update"));
}

const hasEnded = (resource: string): ResourceError =>
  new ResourceError(
    `${resource} has expired, and the service no longer has it. Nothing was changed. For a new one, give it a later end ` +
      "in the program, run `pulumi refresh`, then `pulumi up`; otherwise remove it from the program.",
  );

async function send<I extends object, R extends object>(
  scope: Scope<I, R>,
  id: string,
  change: { before: Values; fields: string[]; values: Values; progress: Progress },
): Promise<R | undefined> {
  const { kind, session } = scope;
  const after = inputsOf(kind, change.values);
  const context = contextOf<I, R>(
    { before: inputsOf(kind, { ...change.values, ...change.before }), after },
    change.progress,
    waitFor(scope, change.values, id, "update", () => undefined),
  );
  const documented = session.settings.api === "documented" ? kind.documented?.update : undefined;
  const send = documented ?? kind.update;
  return send?.(session.api, id, changesOf(kind, change.fields, after), context);
}
