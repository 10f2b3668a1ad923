import { z } from "zod";
import type { Kind } from "../definition/kind.js";
import { once } from "../definition/once.js";
import { isRecord, type Properties, STATE_KEY } from "../definition/properties.js";
import type { Settings } from "../settings/settings.js";
import { fingerprint } from "./fingerprint.js";

/** The version of the format of `__state`; older code refuses a newer one. */
export const VERSION = 1;

const normalised = z.object({
  sent: z.unknown(),
  /** The value that the service stores for it. */
  stored: z.unknown(),
});

/** A sent value and the one that the service stores for it. */
export type Normalised = z.infer<typeof normalised>;

const shape = z.looseObject({
  version: z.number(),
  /** The base URL of the service that has the resource. */
  baseUrl: z.string(),
  /** The fingerprint of the API key with which it was last seen. */
  key: z.string(),
  /** The inputs that the program set or that have a default; the service chose the others. */
  given: z.array(z.string()),
  ready: z.boolean(),
  everReady: z.boolean(),
  /** Why it will never become ready. */
  failed: z.string().optional(),
  /** Inputs that may have the old or the new value, because the response was lost. */
  uncertain: z.array(z.string()).optional(),
  /** Inputs that the program does not set, which an update removed and has not restored. */
  restore: z.record(z.string(), z.unknown()).optional(),
  /** Distinguishes this entry of the state from others of the same id; states of version 0.1.0 have none. */
  entry: z.string().optional(),
  /** Its own route has returned it once, so "not found" on that route proves absence. */
  read: z.literal(true).optional(),
  /** A refresh has found it, by any route, so reads no longer lag behind its creation. */
  seen: z.literal(true).optional(),
  /** An import has read it, and no update has sent anything since. */
  imported: z.literal(true).optional(),
  /** Required inputs that an import could not read, until the program sets them. */
  unread: z.array(z.string()).optional(),
  /** By field, the values that the service stores instead of those that it received. */
  normalised: z.record(z.string(), normalised).optional(),
  /** The requested name, when another resource had it and this one got the next candidate. */
  asked: z.string().optional(),
});

/** The kernel's own state of a resource, in the hidden output `__state`. */
export type ResourceState = Readonly<z.infer<typeof shape>>;

/** What an operation learned about a resource; the session adds the rest of the state. */
export type StateChange = Pick<ResourceState, "given" | "ready"> &
  Partial<
    Pick<
      ResourceState,
      | "everReady"
      | "failed"
      | "uncertain"
      | "read"
      | "seen"
      | "imported"
      | "unread"
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

/** One operation reads the same state several times. */
const parsed = once((stored: object): ResourceState | undefined => shape.safeParse(stored).data);

/** Returns the state in a resource's outputs, or undefined for a resource that is only read. */
export function readState(outputs: Properties): ResourceState | undefined {
  const stored = outputs[STATE_KEY];
  return isRecord(stored) ? parsed(stored) : undefined;
}

/** Returns whether the program only reads the resource with `get`: it has no inputs and no creation marked it. */
export const isOnlyRead = (memory: ResourceState): boolean =>
  memory.entry === undefined && memory.given.length === 0;

/** Returns the outputs with the failure reason, which is the service's text, redacted like a message. */
export function withCleanReason(outputs: Properties, clean: (text: string) => string): Properties {
  const memory = readState(outputs);
  if (memory?.failed === undefined) return outputs;
  return { ...outputs, [STATE_KEY]: { ...memory, failed: clean(memory.failed) } };
}

/** Returns the outputs with the key of this run as the one with which the resource was last seen. */
export function withCurrentKey(outputs: Properties, settings: Settings): Properties {
  const memory = readState(outputs);
  if (memory === undefined) return outputs;
  return { ...outputs, [STATE_KEY]: { ...memory, key: fingerprint(settings) } };
}

/** Returns what distinguishes a resource's entry in the state from others. */
export const entryOf = (outputs: Properties, urn: string): string => readState(outputs)?.entry ?? urn;

/** Returns from its outputs the inputs with which a resource was last created, updated or read. */
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
