import { isDeepStrictEqual } from "node:util";
import type { Properties } from "./provider-client.js";

/*
 * Properties in the engine's form: the state marks secrets. Only the provider receives their plain values.
 */

const SIGNATURE = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isSecret = (value: unknown): boolean => isRecord(value) && value[SIGNATURE] === SECRET;

function mapped(value: unknown, change: (value: unknown) => unknown): unknown {
  const changed = change(value);
  if (changed !== value) return changed;
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapped(member, change)]));
}

const eachOf = (properties: Properties, change: (value: unknown) => unknown): Properties =>
  Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, mapped(value, change)]));

/** Returns plain values, as the host of dynamic providers receives them. */
export const plain = (properties: Properties): Properties =>
  eachOf(properties, (value) => (isRecord(value) && isSecret(value) ? value["value"] : value));

/** Returns the form of an exported state: `{ "$secret": … }`, or ciphertext. */
export const exported = (properties: Properties, show: boolean): Properties =>
  eachOf(properties, (value) =>
    isRecord(value) && isSecret(value)
      ? show
        ? { $secret: value["value"] }
        : { [SIGNATURE]: SECRET, ciphertext: "v1:…" }
      : value,
  );

/** Marks the properties of these names as secret. */
export function withSecrets(properties: Properties, names: ReadonlySet<string>): Properties {
  const marked: Record<string, unknown> = { ...properties };
  for (const name of names) {
    const value = marked[name];
    if (value === undefined || isSecret(value) || value === UNKNOWN) continue;
    marked[name] = { [SIGNATURE]: SECRET, value };
  }
  return marked;
}

/** Returns the names of the secret properties; the engine keeps them secret in outputs too. */
export function secretsOf(properties: Properties): Set<string> {
  return new Set(Object.keys(properties).filter((name) => isSecret(properties[name])));
}

export function changedKeys(a: Properties, b: Properties): string[] {
  const [before, after] = [plain(a), plain(b)];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isDeepStrictEqual(before[key], after[key]));
}

export function hasUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isRecord(value) && Object.values(value).some(hasUnknown);
}
