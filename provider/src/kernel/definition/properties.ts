import { isDeepStrictEqual } from "node:util";

/** The properties of a resource as they travel between the engine and a hook. */
export type Properties = Record<string, unknown>;

/** Stands for an input whose value is known only after another resource has been created. */
export const UNKNOWN = Symbol.for("cloudservices.unknown");

/** Inputs and outputs that people do not see; the engine's display leaves them out as well. */
export const isHidden = (key: string): boolean => key.startsWith("__");

/** The hidden input that says where on the display a resource stands, and seeds its derived name. */
export const URN_KEY = "__urn";

/** The hidden input that holds the derived name, so that a name changed by hand is seen as drift and put back. */
export const NAME_KEY = "__name";

/** The hidden output in which the kernel keeps what it has to remember of a resource. */
export const STATE_KEY = "__state";

/**
 * The hidden input in which the class says why this resource must not be, as a list of reasons. A program that throws
 * would print a stack trace; a failed check is an ordinary error. Never stored.
 */
export const CONSTRUCTOR_FAILURES_KEY = "__refused";

/**
 * The hidden input that repeats the option `retainOnDelete`, which the engine does not tell. Stored only where the
 * mode `documented` must know whether a predecessor stays.
 */
export const RETAIN_KEY = "__retainOnDelete";

/**
 * The hidden input that says that the id in `adopt` came from the option `import`: then everything that the service
 * shows must agree.
 */
export const IMPORT_KEY = "__import";

/** The hidden input that repeats the option `replaceOnChanges`, which the engine does not pass on. Never stored. */
export const REPLACE_KEY = "__replaceOnChanges";

/** The hidden input that names the inputs which the program has made secret: no message may show their values. */
export const SECRETS_KEY = "__secrets";

/** The hidden property that belongs to the engine's host of dynamic providers. */
export const PROVIDER_KEY = "__provider";

/** The inputs that every kind has beside those of its definition; none is ever sent to the service. */
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

/** An unknown flag counts as set where that has the larger effect. */
export const mayBeTrue = (value: unknown): boolean => value === true || containsUnknown(value);

export const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

export const equal = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b);

/** The engine cannot carry `undefined`: a member without a value is left out, at every depth. */
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
