import { runtime } from "@pulumi/pulumi";
import { isRecord, type Properties, UNKNOWN } from "../definition/properties.js";

/*
 * How the engine's host of dynamic providers encodes unknown values, secrets and errors.
 */

/** The engine's markers for unknown inputs, one for each type. */
const SENTINELS: ReadonlySet<unknown> = new Set([
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

function mapDeep(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, change));
  if (isRecord(value)) return mapValues(value, change);
  return change(value);
}

function mapValues(values: Properties, change: (leaf: unknown) => unknown): Properties {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, mapDeep(value, change)]));
}

/** Returns the engine's values in the kernel's form. */
export const received = (values: Properties): Properties =>
  mapValues(runtime.unwrapRpcSecret(values) ?? {}, (leaf) => (SENTINELS.has(leaf) ? UNKNOWN : leaf));

const sent = (values: Properties): Properties =>
  mapValues(values, (leaf) => (leaf === UNKNOWN ? runtime.unknownValue : leaf));

/** Marks the secrets, so that the engine encrypts them even if the program did not mark them. */
export function withSecrets(values: Properties, secrets: ReadonlySet<string>): Properties {
  const marked = sent(values);
  for (const name of secrets) {
    const value = marked[name];
    if (value === undefined || value === runtime.unknownValue) continue;
    marked[name] = { [runtime.specialSigKey]: runtime.specialSecretSig, value };
  }
  return marked;
}

/**
 * An error in the form that the host expects: it prints the error's stack, and treats an error with an `id` as an
 * existing resource.
 */
export class HookError {
  readonly stack: string;

  constructor(readonly message: string) {
    this.stack = message;
  }

  toString(): string {
    return "cloudservices";
  }
}

/** The error of a resource that exists and is not ready: it stays in the state. */
export class InitializationError extends HookError {
  readonly reasons: string[];

  constructor(
    message: string,
    readonly id: string,
    readonly properties: Properties,
  ) {
    super(message);
    this.reasons = [message];
  }
}
