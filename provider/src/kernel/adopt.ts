import { rulesOn } from "./across.js";
import { disagreements, isUnservable } from "./changes.js";
import { PartialFailure, ResourceError } from "./errors.js";
import { fieldsOf, type Input, inputsOf, type Kind, shown } from "./kind.js";
import { describe, withArticle } from "./memory.js";
import { outputsOf } from "./outputs.js";
import { proven, readDocumented } from "./remote.js";
import type { Scope } from "./scope.js";
import { changesOf, contextOf, type Progress, waitFor } from "./settle.js";
import { IMPORT_KEY, isPresent, stringOf, URN_KEY, type Values } from "./values.js";

/** Adopting reads where creating would post, and never takes what cannot be made what the program asks for. */
export async function lookUpForAdoption<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
  id: string,
): Promise<R> {
  const { kind, session } = scope;
  const remote =
    session.settings.api === "documented"
      ? await readDocumented(scope, id)
      : proven(kind, id, await kind.read(session.api, id));
  if (remote === undefined || remote === "exists") {
    throw new ResourceError(
      `${describe(kind, values, id)} cannot be adopted: the specification shows no request that reads ${withArticle(kind.name)} (cloudservices:api is documented). ` +
        "Nothing was done. If an interrupted run has left the resource, delete it at the service. Remove `adopt` from the " +
        "program, then run `pulumi up` again.",
    );
  }
  if (values[IMPORT_KEY] === true) requireSame(scope, values, id, remote);
  requireFitting(scope, values, id, remote);
  session.adopts(kind.name, id);
  return remote;
}

/** @throws ResourceError when the service shows anything of what is to be imported otherwise than the program. */
function requireSame<I extends object, R extends object>(
  { kind }: Scope<I, R>,
  values: Values,
  id: string,
  remote: R,
): void {
  const differing = disagreements(kind, values, remote);
  if (differing.length === 0) return;
  throw new ResourceError(
    `${describe(kind, values, id)} cannot be imported: the program has another ${differing.join(", ")} than the service. ` +
      `Nothing was done. Change the program, or use the input \`adopt: "${id}"\` instead of the option \`import\` to ` +
      "change the resource.",
  );
}

/** @throws ResourceError when what exists cannot be made what the program asks for. */
export function requireFitting<I extends object, R extends object>(
  { kind, session: { settings } }: Scope<I, R>,
  values: Values,
  id: string,
  remote: R,
): void {
  const resource = describe(kind, values, id);
  const way = isPresent(values["adopt"])
    ? "Make the program say what the resource is."
    : "Make the program say what the resource is, which an interrupted run has left, or delete it at the service.";
  const differing = new Set(disagreements(kind, values, remote));
  const differ = (where: (input: Input<unknown, R>) => boolean) =>
    fieldsOf(kind)
      .filter(([field, input]) => differing.has(field) && where(input))
      .map(([field]) => field);
  const refuse = (fields: readonly string[], why: string) => {
    if (fields.length === 0) return;
    throw new ResourceError(
      `${resource} cannot be adopted: its ${fields.join(", ")} ${fields.length === 1 ? "is" : "are"} not what the program asks for, ` +
        `and ${why}. Nothing was done. ${way}`,
    );
  };
  refuse(
    differ((input) => input.onChange === "replace"),
    "only a new resource could change that",
  );
  refuse(
    differ((input) => isUnservable(input, settings)),
    `the specification shows no request that updates ${withArticle(kind.name)} (cloudservices:api is documented)`,
  );
  const is = Object.fromEntries(fieldsOf(kind).map(([field, input]) => [field, shown(input, remote)]));
  const refused = rulesOn(kind, is, values, settings);
  if (refused.length === 0) return;
  const reasons = refused.map(({ property, reason }) => `${property} ${reason}`.trim());
  throw new ResourceError(
    `${resource} cannot be adopted as the program has it: ${reasons.join("; ")}. Nothing was done. ${way}`,
  );
}

/** An existing resource that the program takes over. */
export interface Adopted<R> {
  readonly id: string;
  readonly remote: R;
  /** An interrupted run has left it: what the program does not give, it may have given then. */
  readonly isLeftover: boolean;
  /** What its entry in the state is known by. */
  readonly entry: string;
  readonly progress: Progress;
}

/**
 * Applies what can be changed in place, and gives the answer to that; what the service does not show is sent,
 * as it may be different.
 */
export async function takeOver<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
  { id, remote, isLeftover, entry, progress }: Adopted<R>,
): Promise<R | undefined> {
  const { kind, session } = scope;
  warnOfBelieved(scope, values, id, remote);
  if (session.settings.api === "documented" || !kind.update) return remote;
  const inputs = inputsOf(kind, values);
  let last = remote;
  let fields = unlike(kind, values, last, isLeftover);
  if (fields.length === 0) return remote;
  const settled = waitFor(scope, values, id, "create", () => undefined);
  try {
    // What an interrupted run has left may still be on its way, and shows more when it has arrived.
    if (kind.settling?.phase(last) === "pending") {
      last = await settled();
      fields = unlike(kind, values, last, isLeftover);
      if (fields.length === 0) return last;
    }
    const context = contextOf<I, R>({ before: inputs, after: inputs }, progress, settled);
    return await kind.update(session.api, id, changesOf(kind, fields, inputs), context);
  } catch (error) {
    // What was not sent is not held, so that the next run sends it.
    const held = Object.fromEntries(Object.entries(values).filter(([field]) => !fields.includes(field)));
    const removed = fields.filter((field) => !isPresent(values[field]));
    const outputs = outputsOf(
      kind,
      session.settings,
      held,
      last,
      {},
      {
        settled: false,
        everSettled: true,
        entry,
        owed: progress.owed,
        ...(removed.length > 0 ? { uncertain: removed } : {}),
      },
    );
    throw new PartialFailure(
      `${describe(kind, values, id)} was adopted, but not yet changed: ${progress.explain(error)}`,
      id,
      outputs,
    );
  }
}

/** What is, or may be, otherwise than the program asks for, and can be changed in place. */
function unlike<I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Values,
  remote: R,
  isLeftover: boolean,
): string[] {
  const differing = disagreements(kind, values, remote);
  const isUnlike = (field: string, input: Input<unknown, R>) => {
    if (isPresent(values[field])) return !input.from || differing.includes(field);
    const canBeThere = !input.from || isPresent(shown(input, remote));
    return isLeftover && canBeThere && input.optional && input.default === undefined;
  };
  return fieldsOf(kind)
    .filter(([field, input]) => input.onChange === "update" && isUnlike(field, input))
    .map(([field]) => field);
}

/** What neither could be compared nor can be corrected in place is taken to be as the program says. */
function warnOfBelieved<I extends object, R extends object>(
  { kind, session: { settings, reporter } }: Scope<I, R>,
  values: Values,
  id: string,
  remote: R,
): void {
  const believed = fieldsOf(kind)
    .filter(([field, input]) => isPresent(values[field]) && !isPresent(shown(input, remote)))
    .filter(([, input]) => input.onChange === "replace" || isUnservable(input, settings))
    .map(([field]) => field);
  if (believed.length === 0) return;
  reporter.warn(
    stringOf(values, URN_KEY),
    `${describe(kind, values, id)} was adopted. The service does not show its ${believed.join(", ")}, so the program is believed. ` +
      "What turns out to be wrong there cannot be corrected in place: take the resource out of the state with `pulumi state delete` " +
      "and adopt it again. Until you have made sure, the option `protect: true` keeps it from being replaced.",
  );
}
