import type { Kind } from "../definition/kind.js";
import { fieldsOf, valueIn } from "../definition/kind-values.js";
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

/** A resource as the engine stores it. */
export interface StoredResource {
  readonly id: string;
  readonly outputs: Properties;
  readonly inputs?: Properties;
}

/** Returns whether the value is present and, for a secret, complete. */
const isInformative = (value: unknown, secret: true | undefined, before: unknown): boolean =>
  isPresent(value) && !(secret && (isMasked(value) || isTruncated(value, before)));

/** What an operation learned about a resource, and the fields that its requests carried. */
export type OutputChange = Omit<StateChange, "given" | "normalised"> & { readonly sent?: readonly string[] };

/** Returns the values of a definition's inputs, with the common inputs taken from `others`. */
export function withCommonInputs(values: Properties, others: Properties): Properties {
  return { ...Object.fromEntries(COMMON_INPUTS.map((key) => [key, others[key]])), ...values };
}

/** Returns the inputs that the program set or that have a default. */
const givenIn = <I extends object, R extends object>(kind: Kind<I, R>, values: Properties): string[] =>
  Object.keys(kind.inputs).filter((field) => isPresent(values[field]));

/**
 * Returns the outputs of a resource: its inputs, in the program's spelling while that is equivalent to the service's,
 * and the values that only the service knows. A value that is missing from the response stays as it was.
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
    const returned = valueIn(input, remote);
    if (!isPresent(held[field])) {
      if (isInformative(returned, input.secret, previous[field])) outputs[field] = returned;
      // The service chose it. A value that the program no longer sets is unknown until the service returns it.
      else if (!before?.given.includes(field)) outputs[field] = previous[field];
      continue;
    }
    outputs[field] = held[field];
    let pair = before?.normalised?.[field];
    if (isInformative(returned, input.secret, held[field])) {
      const isSent = sent.includes(field);
      const response = { held: held[field], returned, previous: previous[field], pair, isSent };
      ({ value: outputs[field], pair } = reconcile(input, response));
    }
    if (pair) normalised[field] = pair;
  }
  for (const [name, output] of Object.entries(kind.outputs)) {
    const returned = valueIn(output, remote, outputs);
    if (isInformative(returned, output.secret, previous[name])) outputs[name] = returned;
    else if (returned === null) continue;
    else if (outputs[name] === undefined) outputs[name] = previous[name];
  }
  for (const key of COMMON_INPUTS) outputs[key] = held[key];
  const naming = kind.naming?.field ?? "";
  const unread = before?.unread?.filter((field) => !isPresent(outputs[field])) ?? [];
  const restore = found.restore ?? before?.restore ?? {};
  outputs[STATE_KEY] = stateOf(settings, {
    given: givenIn(kind, held),
    // Belongs to the previous name; a name that has changed since is the requested one.
    asked: outputs[naming] === previous[naming] ? before?.asked : undefined,
    read: before?.read,
    seen: before?.seen,
    unread: unread.length === 0 ? undefined : unread,
    entry: before?.entry,
    ...found,
    normalised: Object.keys(normalised).length === 0 ? undefined : normalised,
    restore: found.ready || Object.keys(restore).length === 0 ? undefined : restore,
    // Only a response proves that the resource exists at this address and is visible to this key.
    ...(remote === undefined && before ? { baseUrl: before.baseUrl, key: before.key } : {}),
    everReady: found.ready || found.everReady || before?.everReady || false,
  });
  return withoutUndefined(outputs);
}

/** Returns the inputs that the engine compares with the program's to detect drift. */
export function inputsOfOutputs<I extends object, R extends object>(
  kind: Kind<I, R>,
  before: Properties,
  outputs: Properties,
): Properties {
  const memory = readState(outputs);
  const inputs: Properties = {};
  for (const field of memory?.given ?? []) inputs[field] = outputs[field];
  const naming = kind.naming?.field;
  // Another resource had the requested name, so this one got a substitute: that is not drift.
  if (naming !== undefined && memory?.asked !== undefined && outputs[naming] === before[naming])
    inputs[naming] = memory.asked;
  for (const key of COMMON_INPUTS) inputs[key] = before[key];
  return withoutUndefined(inputs);
}
