import { isDeepStrictEqual } from "node:util";

/** The properties of a resource as the engine and a hook exchange them. */
export type Properties = Record<string, unknown>;

/** An input whose value is known only after another resource has been created. */
export const UNKNOWN = Symbol.for("cloudservices.unknown");

/** Returns whether a property is internal; the engine does not display those. */
export const isHidden = (key: string): boolean => key.startsWith("__");

/** The hidden input with the derived name, so that a name changed by hand is detected as drift and restored. */
export const NAME_KEY = "__name";

/** The hidden input with the URN, which the engine's host of dynamic providers does not pass on. */
export const URN_KEY = "__urn";

/** The hidden output in which the kernel stores its own state of a resource. */
export const STATE_KEY = "__state";

/**
 * The hidden input that repeats the option `retainOnDelete`, which the engine does not pass on. Stored only when the
 * mode `documented` must know whether a predecessor is retained.
 */
export const RETAIN_KEY = "__retainOnDelete";

/**
 * The hidden input that marks inputs which an import has read, until the program has run with the resource for the
 * first time.
 */
export const IMPORTED_KEY = "__imported";

/** The stored inputs that every kind has besides those of its definition; none is sent to the service. */
export const COMMON_INPUTS: readonly string[] = ["adopt", NAME_KEY, RETAIN_KEY];

export function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function containsUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (Array.isArray(value)) return value.some(containsUnknown);
  return isRecord(value) && Object.values(value).some(containsUnknown);
}

/** Returns whether a flag is true or unknown, for decisions in which true has the larger effect. */
export const mayBeTrue = (value: unknown): boolean => value === true || containsUnknown(value);

/** Returns whether the properties contain one that is not internal. */
export const hasVisible = (values: Properties): boolean => Object.keys(values).some((key) => !isHidden(key));

export const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

export const equal = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b);

/** Returns the values without undefined members, at every depth: the engine cannot carry `undefined`. */
export function withoutUndefined(values: Properties): Properties {
  const kept: Properties = {};
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined) continue;
    kept[key] = isRecord(value) ? withoutUndefined(value) : value;
  }
  return kept;
}

export function stringOf(values: Properties, key: string): string | undefined {
  const value = values[key];
  return typeof value === "string" ? value : undefined;
}
