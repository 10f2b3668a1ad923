import { isPresent, isRecord, type Properties, STATE_KEY } from "../definition/properties.js";

/*
 * How the engine stores `__state`: as one line of JSON without what follows from the outputs. The engine rewrites its
 * whole file at each step, so the bytes of a resource are time.
 */

/** Returns the outputs with their `__state` as text. A value that cannot be shortened without loss stays as it is. */
export function withStateText(outputs: Properties, inputs: readonly string[]): Properties {
  const state = outputs[STATE_KEY];
  if (!isRecord(state)) return outputs;
  const { given, ready, everReady, ...rest } = state;
  const present = inputs.filter((field) => isPresent(outputs[field]));
  const isSubset = Array.isArray(given) && given.every((field) => present.includes(String(field)));
  const chosen = isSubset ? present.filter((field) => !given.includes(field)) : [];
  const text = JSON.stringify({
    ...rest,
    ...(ready === true ? {} : { ready }),
    ...(everReady === true ? {} : { everReady }),
    ...(isSubset ? (chosen.length === 0 ? {} : { chosen }) : { given }),
  });
  return { ...outputs, [STATE_KEY]: text };
}

/** Returns the outputs with their `__state` as an object. */
export function withStateObject(outputs: Properties, inputs: readonly string[]): Properties {
  const text = outputs[STATE_KEY];
  if (typeof text !== "string") return outputs;
  const { chosen, ...rest } = parsed(text);
  const withheld = Array.isArray(chosen) ? chosen : [];
  const given = inputs.filter((field) => isPresent(outputs[field]) && !withheld.includes(field));
  return { ...outputs, [STATE_KEY]: { given, ready: true, everReady: true, ...rest } };
}

function parsed(text: string): Properties {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
