import { isRecord, type Properties, UNKNOWN } from "../definition/properties.js";

/*
 * How the engine encodes unknown values and secrets. The constants are part of its protocol; a test compares them with
 * those of its library, which takes half a second to load.
 */

const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const UNKNOWN_STRING = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The engine's markers for unknown inputs, one for each type. */
const SENTINELS: ReadonlySet<unknown> = new Set([
  UNKNOWN_STRING,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

function mapDeep(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, change));
  if (isSecret(value)) return mapDeep(value.value, change);
  if (isRecord(value)) return mapValues(value, change);
  return change(value);
}

function mapValues(values: Properties, change: (leaf: unknown) => unknown): Properties {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, mapDeep(value, change)]));
}

const isSecret = (value: unknown): value is { value: unknown } =>
  isRecord(value) && value[SIGNATURE] === SECRET;

/** Returns the engine's values in the kernel's form. */
export const received = (values: Properties): Properties =>
  mapValues(values, (leaf) => (SENTINELS.has(leaf) ? UNKNOWN : leaf));

/** Returns the names of the properties that are or contain a secret. */
export const markedSecrets = (values: Properties): string[] =>
  Object.keys(values).filter((name) => containsSecret(values[name]));

function containsSecret(value: unknown): boolean {
  if (isSecret(value)) return true;
  if (Array.isArray(value)) return value.some(containsSecret);
  return isRecord(value) && Object.values(value).some(containsSecret);
}

const sent = (values: Properties): Properties =>
  mapValues(values, (leaf) => (leaf === UNKNOWN ? UNKNOWN_STRING : leaf));

/** Marks the secrets, so that the engine encrypts them even if the program did not mark them. */
export function withSecrets(values: Properties, secrets: ReadonlySet<string>): Properties {
  const marked = sent(values);
  for (const name of secrets) {
    const value = marked[name];
    if (value === undefined || value === UNKNOWN_STRING) continue;
    marked[name] = { [SIGNATURE]: SECRET, value };
  }
  return marked;
}
