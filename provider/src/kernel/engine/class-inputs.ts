import { type Properties, URN_KEY } from "../definition/properties.js";

/*
 * The hidden inputs by which the classes pass on what the engine does not. The adapters remove them before the kernel
 * sees the inputs.
 */

/**
 * The diagnostics for which the constructor rejects the resource. A program that throws would print a stack trace; a
 * failed check is an ordinary error. Added by the dynamic classes alone, and never stored.
 */
export const CONSTRUCTOR_FAILURES_KEY = "__refused";

/** Set when the resource has the option `import`. The dynamic classes then also set the input `adopt`. */
export const IMPORT_KEY = "__import";

/** The paths of the option `replaceOnChanges`. Never stored. */
export const REPLACE_KEY = "__replaceOnChanges";

/** The names of the inputs that the program marks as secret. Added by the dynamic classes alone. */
export const SECRETS_KEY = "__secrets";

/** The property that the engine's host of dynamic providers adds. */
export const PROVIDER_KEY = "__provider";

/** The option `customTimeouts`. The dynamic classes add it; a transform may set it too. */
export const TIMEOUTS_KEY = "customTimeouts";

const ALL: readonly string[] = [
  URN_KEY,
  CONSTRUCTOR_FAILURES_KEY,
  IMPORT_KEY,
  REPLACE_KEY,
  SECRETS_KEY,
  PROVIDER_KEY,
  TIMEOUTS_KEY,
];

/** Returns the values without what the classes add. */
export const withoutClassInputs = (values: Properties): Properties =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !ALL.includes(name)));

/** Returns the strings of a list in a hidden input. */
export const listIn = (values: Properties, key: string): readonly string[] => {
  const list = values[key];
  return Array.isArray(list) ? list.map(String) : [];
};
