import { rulesOn } from "./across.js";
import { messageOf, PartialFailure, ResourceError } from "./errors.js";
import { fieldsOf, inputsOf } from "./kind.js";
import { describe, withArticle } from "./memory.js";
import { disagreements } from "./once.js";
import { outputsOf } from "./outputs.js";
import { proven, readDocumented } from "./remote.js";
import type { Scope } from "./scope.js";
import { changesOf, waitFor } from "./settle.js";
import { isPresent, type Values } from "./values.js";

/** Adopting reads where creating would post, and never takes what only replacement could make right. */
export async function lookUpForAdoption<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
  id: string,
): Promise<R> {
  const { kind, session } = scope;
  const resource = describe(kind, values, id);
  const remote =
    session.settings.api === "documented"
      ? await readDocumented(scope, id)
      : proven(kind, id, await kind.read(session.api, id));
  if (remote === undefined || remote === "exists") {
    throw new ResourceError(
      `${resource} cannot be adopted: the specification shows no request that reads ${withArticle(kind.name)} (cloudservices:api is documented).`,
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
  const is = Object.fromEntries(fieldsOf(kind).map(([field, input]) => [field, input.from?.(remote)]));
  const refused = rulesOn(kind, is, values, session.settings);
  if (refused.length > 0) {
    const reasons = refused.map(({ property, reason }) => `${property} ${reason}`.trim());
    throw new ResourceError(
      `${resource} cannot be adopted as the program has it: ${reasons.join("; ")}. Nothing was done.`,
    );
  }
  session.adopts(kind.name, id);
  return remote;
}

/**
 * Applies what can be changed in place, and gives the answer to that; what the service does not show is sent,
 * as it may be different.
 */
export async function takeOver<I extends object, R extends object>(
  scope: Scope<I, R>,
  values: Values,
  id: string,
  remote: R,
  entry: string,
): Promise<R | undefined> {
  const { kind, session } = scope;
  if (session.settings.api === "documented" || !kind.update) return remote;
  const inputs = inputsOf(kind, values);
  const differing = disagreements(kind, values, remote);
  const fields = fieldsOf(kind)
    .filter(
      ([field, input]) =>
        isPresent(values[field]) && input.onChange === "update" && (!input.from || differing.includes(field)),
    )
    .map(([field]) => field);
  if (fields.length === 0) return remote;
  const settled = waitFor(scope, values, id, "create", () => undefined);
  try {
    // What an interrupted run has left may still be on its way.
    if (kind.settling?.phase(remote) === "pending") await settled();
    return await kind.update(session.api, id, changesOf(kind, fields, inputs), {
      before: inputs,
      after: inputs,
      applied: () => undefined,
      settled,
    });
  } catch (error) {
    // What was not sent is not held, so that the next run sends it.
    const held = Object.fromEntries(Object.entries(values).filter(([field]) => !fields.includes(field)));
    const outputs = outputsOf(kind, session.settings, held, remote, {}, { settled: false, entry });
    throw new PartialFailure(
      `${describe(kind, values, id)} was adopted, but not yet changed: ${messageOf(error)}`,
      id,
      outputs,
    );
  }
}
