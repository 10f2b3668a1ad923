import { z } from "zod";
import type { Kind } from "../definition/kind.js";
import { type Properties, STATE_KEY, stringOf, URN_KEY } from "../definition/properties.js";
import { fingerprint, type Settings } from "../settings/settings.js";

/** The version of the format of `__state`; older code refuses a newer one. */
export const VERSION = 1;

const normalised = z.object({
  sent: z.unknown(),
  /** What the service has made of it. */
  stored: z.unknown(),
});

/** A value that was sent and the one that the service stores for it. */
export type Normalised = z.infer<typeof normalised>;

const shape = z.looseObject({
  version: z.number(),
  /** Where the resource lives. */
  baseUrl: z.string(),
  /** Of the API key under which it was last seen. */
  key: z.string(),
  /** The inputs that the program gave or that got a default; the others show what the service chose. */
  given: z.array(z.string()),
  ready: z.boolean(),
  everReady: z.boolean(),
  /** Why it will never settle. */
  failed: z.string().optional(),
  /** Inputs of which nobody knows whether the service has the old or the new value: the answer was lost. */
  uncertain: z.array(z.string()).optional(),
  /** Inputs that the program does not give, which an update has taken away and not put back. */
  restore: z.record(z.string(), z.unknown()).optional(),
  /** Tells this entry of the state from any other of the same id; states of version 0.1.0 have none. */
  entry: z.string().optional(),
  /** A read of it by its own route has succeeded, so that "not found" on that route proves absence. */
  read: z.literal(true).optional(),
  /** A refresh has found it, in whatever way, so that reads no longer lag behind its creation. */
  seen: z.literal(true).optional(),
  /** By field, the values that the service has stored in place of those that it was sent. */
  normalised: z.record(z.string(), normalised).optional(),
  /** The name that the inputs ask for, where a stranger had it and the next candidate was taken. */
  asked: z.string().optional(),
});

/** What the kernel remembers of a resource, in the hidden output `__state`. */
export type ResourceState = z.infer<typeof shape>;

/** What an operation found out about a resource; the rest of its memory follows from the session. */
export type StateChange = Pick<ResourceState, "given" | "ready"> &
  Partial<
    Pick<
      ResourceState,
      | "everReady"
      | "failed"
      | "uncertain"
      | "read"
      | "seen"
      | "asked"
      | "baseUrl"
      | "key"
      | "entry"
      | "restore"
      | "normalised"
    >
  >;

export function stateOf(settings: Settings, found: StateChange): ResourceState {
  return {
    version: VERSION,
    baseUrl: settings.baseUrl,
    key: fingerprint(settings),
    everReady: found.ready,
    ...found,
  };
}

/** The memory in a resource's outputs, or nothing for a resource that is only read. */
export function readState(outputs: Properties): ResourceState | undefined {
  const parsed = shape.safeParse(outputs[STATE_KEY]);
  return parsed.success ? parsed.data : undefined;
}

/** Nothing was ever given for it and no creation has marked it: the program reads it with `get`, and manages it not. */
export const isOnlyRead = (memory: ResourceState): boolean =>
  memory.entry === undefined && memory.given.length === 0;

/** The outputs with the one text of the service's own in their memory cleaned, as a message would be. */
export function withCleanReason(outputs: Properties, clean: (text: string) => string): Properties {
  const memory = readState(outputs);
  if (memory?.failed === undefined) return outputs;
  return { ...outputs, [STATE_KEY]: { ...memory, failed: clean(memory.failed) } };
}

/** The outputs with the key of this run as the one that the resource was last seen with. */
export function withCurrentKey(outputs: Properties, settings: Settings): Properties {
  const memory = readState(outputs);
  if (memory === undefined) return outputs;
  return { ...outputs, [STATE_KEY]: { ...memory, key: fingerprint(settings) } };
}

/** What tells a resource's entry in the state from any other. */
export const entryOf = (outputs: Properties): string =>
  readState(outputs)?.entry ?? stringOf(outputs, URN_KEY) ?? "";

/** The inputs that a resource was last created, updated or read with, out of its outputs. */
export function appliedInputs<I extends object, R extends object>(
  kind: Kind<I, R>,
  outputs: Properties,
): Properties {
  const memory = readState(outputs);
  const held: Properties = {};
  for (const field of memory?.given ?? Object.keys(kind.inputs)) {
    if (outputs[field] !== undefined) held[field] = outputs[field];
  }
  if (memory?.asked !== undefined && kind.naming) held[kind.naming.field] = memory.asked;
  return held;
}
