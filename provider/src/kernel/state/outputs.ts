import { fieldsOf, type Kind, valueIn } from "../definition/kind.js";
import {
  COMMON_INPUTS,
  isPresent,
  type Properties,
  STATE_KEY,
  withoutUndefined,
} from "../definition/properties.js";
import type { Settings } from "../settings/settings.js";
import { isMasked, isTruncated } from "./masks.js";
import { reconcile } from "./normalised.js";
import { type Normalised, readState, type StateChange, stateOf } from "./resource-state.js";

/** A resource as the engine keeps it. */
export interface StoredResource {
  readonly id: string;
  readonly outputs: Properties;
  readonly inputs?: Properties;
}

/** The value says something; of a secret, no less than what is known of it. */
const isInformative = (value: unknown, secret: true | undefined, before: unknown): boolean =>
  isPresent(value) && !(secret && (isMasked(value) || isTruncated(value, before)));

/** What an operation found out about a resource, and the fields that its requests carried. */
export type OutputChange = Omit<StateChange, "given" | "normalised"> & { readonly sent?: readonly string[] };

/** The inputs of a definition with these values, and the ones beside them as they stand in others. */
export function withCommonInputs(values: Properties, others: Properties): Properties {
  return { ...Object.fromEntries(COMMON_INPUTS.map((key) => [key, others[key]])), ...values };
}

/** The inputs that the program gave or that got a default. */
const givenIn = <I extends object, R extends object>(kind: Kind<I, R>, values: Properties): string[] =>
  Object.keys(kind.inputs).filter((field) => isPresent(values[field]));

/**
 * The outputs of a resource: the inputs it holds, in the program's spelling where that still means what the service
 * says, and what only the service knows. What an answer leaves out is unknown, and stays as it was.
 */
export function outputsOf<I extends object, R extends object>(
  kind: Kind<I, R>,
  settings: Settings,
  held: Properties,
  remote: R | undefined,
  previous: Properties,
  { sent = [], ...found }: OutputChange,
): Properties {
  const outputs: Properties = {};
  const before = readState(previous);
  const normalised: Record<string, Normalised> = {};
  for (const [field, input] of fieldsOf(kind)) {
    const said = valueIn(input, remote);
    if (!isPresent(held[field])) {
      if (isInformative(said, input.secret, previous[field])) outputs[field] = said;
      // The service chose it. What the program gave and gives no longer is unknown until the service shows it.
      else if (!before?.given.includes(field)) outputs[field] = previous[field];
      continue;
    }
    outputs[field] = held[field];
    let pair = before?.normalised?.[field];
    if (isInformative(said, input.secret, held[field])) {
      const isSent = sent.includes(field);
      const answered = { held: held[field], said, previous: previous[field], pair, isSent };
      ({ value: outputs[field], pair } = reconcile(input, answered));
    }
    if (pair) normalised[field] = pair;
  }
  for (const [name, output] of Object.entries(kind.outputs)) {
    const said = valueIn(output, remote, outputs);
    if (isInformative(said, output.secret, previous[name])) outputs[name] = said;
    else if (said === null) continue;
    else if (outputs[name] === undefined) outputs[name] = previous[name];
  }
  for (const key of COMMON_INPUTS) outputs[key] = held[key];
  const naming = kind.naming?.field ?? "";
  const restore = found.restore ?? before?.restore ?? {};
  outputs[STATE_KEY] = stateOf(settings, {
    given: givenIn(kind, held),
    // Of the name that it had; one that was changed since is the one that was asked for.
    asked: outputs[naming] === previous[naming] ? before?.asked : undefined,
    read: before?.read,
    seen: before?.seen,
    entry: before?.entry,
    ...found,
    normalised: Object.keys(normalised).length === 0 ? undefined : normalised,
    restore: found.ready || Object.keys(restore).length === 0 ? undefined : restore,
    // Only an answer is a proof that the resource is at this address, under this key.
    ...(remote === undefined && before ? { baseUrl: before.baseUrl, key: before.key } : {}),
    everReady: found.ready || found.everReady || before?.everReady || false,
  });
  return withoutUndefined(outputs);
}

/** The inputs that a resource holds, for the engine to compare with the program's: this is how drift is seen. */
export function inputsOfOutputs<I extends object, R extends object>(
  kind: Kind<I, R>,
  before: Properties,
  outputs: Properties,
): Properties {
  const memory = readState(outputs);
  const inputs: Properties = {};
  for (const field of memory?.given ?? []) inputs[field] = outputs[field];
  const naming = kind.naming?.field;
  // A stranger had the name that the program's inputs ask for; the substitute is not drift.
  if (naming !== undefined && memory?.asked !== undefined && outputs[naming] === before[naming])
    inputs[naming] = memory.asked;
  for (const key of COMMON_INPUTS) inputs[key] = before[key];
  return withoutUndefined(inputs);
}
