import type { Kind } from "../definition/kind.js";
import { fieldsOf } from "../definition/kind-values.js";
import {
  isPresent,
  type Properties,
  STATE_KEY,
  UNKNOWN,
  withoutUndefined,
} from "../definition/properties.js";
import { readState } from "../state/resource-state.js";

/** Returns the outputs of a resource to create, as far as the inputs determine them. */
export function outputsOfCreation<I extends object, R extends object>(
  kind: Kind<I, R>,
  inputs: Properties,
): Properties {
  const outputs: Properties = {};
  for (const [field, input] of fieldsOf(kind)) {
    // The service may choose a value that the program does not set, if it returns that field at all.
    outputs[field] = isPresent(inputs[field]) ? inputs[field] : input.from && UNKNOWN;
  }
  for (const name of Object.keys(kind.outputs)) outputs[name] = UNKNOWN;
  return withoutUndefined(outputs);
}

/**
 * Returns the outputs of a resource to update. What the update may change is unknown.
 *
 * @param changed - The inputs that the update changes.
 */
export function outputsOfUpdate<I extends object, R extends object>(
  kind: Kind<I, R>,
  previous: Properties,
  inputs: Properties,
  changed: readonly string[],
): Properties {
  const memory = readState(previous);
  const sent = fieldsOf(kind)
    .filter(([field, { onChange }]) => changed.includes(field) && onChange !== "record")
    .map(([field]) => field);
  const isUnfinished = memory?.ready === false;
  const outputs: Properties = {};
  for (const [field, input] of fieldsOf(kind)) {
    const isRemoved = memory?.given.includes(field) === true;
    outputs[field] = isPresent(inputs[field])
      ? inputs[field]
      : isRemoved || isUnfinished
        ? input.from && UNKNOWN
        : previous[field];
  }
  for (const [name, { changesWith }] of Object.entries(kind.outputs)) {
    const isStable =
      sent.length === 0 || (changesWith !== undefined && !sent.some((field) => changesWith.includes(field)));
    const value = previous[name];
    outputs[name] = !isUnfinished && isStable ? value : UNKNOWN;
  }
  if (previous[STATE_KEY] !== undefined) outputs[STATE_KEY] = previous[STATE_KEY];
  return withoutUndefined(outputs);
}
