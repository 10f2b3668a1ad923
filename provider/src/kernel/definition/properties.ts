import { isDeepStrictEqual } from "node:util";

/** The properties of a resource as the engine and a hook exchange them. */
export type Properties = Record<string, unknown>;

/** An input whose value is known only after another resource has been created. */
export const UNKNOWN = Symbol.for("cloudservices.unknown");

/** Returns whether a property is internal; the engine does not display those. */
export const isHidden = (key: string): boolean => key.startsWith("__");

/** The hidden input with the URN, which selects the row on the display and seeds the derived name. */
export const URN_KEY = "__urn";

/** The hidden input with the derived name, so that a name changed by hand is detected as drift and restored. */
export const NAME_KEY = "__name";

/** The hidden output in which the kernel stores its own state of a resource. */
export const STATE_KEY = "__state";

/**
 * The hidden input with the diagnostics for which the constructor rejects the resource. A program that throws would print a
 * stack trace; a failed check is an ordinary error. Never stored.
 */
export const CONSTRUCTOR_FAILURES_KEY = "__refused";

/**
 * The hidden input that repeats the option `retainOnDelete`, which the engine does not pass on. Stored only when the
 * mode `documented` must know whether a predecessor is retained.
 */
export const RETAIN_KEY = "__retainOnDelete";

/**
 * The hidden input that marks the id in `adopt` as taken from the option `import`: then everything that the service
 * returns must match.
 */
export const IMPORT_KEY = "__import";

/**
 * The hidden input that marks inputs which an import has read, until the program has run with the resource for the
 * first time.
 */
export const IMPORTED_KEY = "__imported";

/** The hidden input that repeats the option `replaceOnChanges`, which the engine does not pass on. Never stored. */
export const REPLACE_KEY = "__replaceOnChanges";

/** The hidden input that names the inputs which the program marks as secret: no message may show their values. */
export const SECRETS_KEY = "__secrets";

/** The hidden property of the engine's host of dynamic providers. */
export const PROVIDER_KEY = "__provider";

/** The inputs that every kind has besides those of its definition; none is sent to the service. */
export const COMMON_INPUTS: readonly string[] = [
  "adopt",
  "customTimeouts",
  URN_KEY,
  NAME_KEY,
  RETAIN_KEY,
  IMPORT_KEY,
  SECRETS_KEY,
  PROVIDER_KEY,
];

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
