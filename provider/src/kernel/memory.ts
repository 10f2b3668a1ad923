import { z } from "zod";
import { ResourceError } from "./errors.js";
import type { Kind } from "./kind.js";
import { logicalName } from "./names.js";
import { fingerprint, type Settings } from "./settings.js";
import { STATE_KEY, stringOf, URN_KEY, type Values } from "./values.js";

const VERSION = 1;

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
  settled: z.boolean(),
  everSettled: z.boolean(),
  /** Why it will never settle. */
  failed: z.string().optional(),
  /** Inputs of which nobody knows whether the service has the old or the new value: the answer was lost. */
  uncertain: z.array(z.string()).optional(),
  /** Inputs that the program does not give, which an update has taken away and not put back. */
  owed: z.record(z.string(), z.unknown()).optional(),
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
export type Memory = z.infer<typeof shape>;

/** What an operation found out about a resource; the rest of its memory follows from the session. */
export type Found = Pick<Memory, "given" | "settled"> &
  Partial<
    Pick<
      Memory,
      | "everSettled"
      | "failed"
      | "uncertain"
      | "read"
      | "seen"
      | "asked"
      | "baseUrl"
      | "key"
      | "entry"
      | "owed"
      | "normalised"
    >
  >;

export function remember(settings: Settings, found: Found): Memory {
  return {
    version: VERSION,
    baseUrl: settings.baseUrl,
    key: fingerprint(settings),
    everSettled: found.settled,
    ...found,
  };
}

/** The memory in a resource's outputs, or nothing for a resource that is only read. */
export function recall(outputs: Values): Memory | undefined {
  const parsed = shape.safeParse(outputs[STATE_KEY]);
  return parsed.success ? parsed.data : undefined;
}

/** Nothing was ever given for it and no creation has marked it: the program reads it with `get`, and manages it not. */
export const isOnlyRead = (memory: Memory): boolean =>
  memory.entry === undefined && memory.given.length === 0;

/** The outputs with the one text of the service's own in their memory cleaned, as a message would be. */
export function withCleanReason(outputs: Values, clean: (text: string) => string): Values {
  const memory = recall(outputs);
  if (memory?.failed === undefined) return outputs;
  return { ...outputs, [STATE_KEY]: { ...memory, failed: clean(memory.failed) } };
}

/** The outputs with the key of this run as the one that the resource was last seen with. */
export function stamped(outputs: Values, settings: Settings): Values {
  const memory = recall(outputs);
  if (memory === undefined) return outputs;
  return { ...outputs, [STATE_KEY]: { ...memory, key: fingerprint(settings) } };
}

/** What tells a resource's entry in the state from any other. */
export const entryOf = (outputs: Values): string =>
  recall(outputs)?.entry ?? stringOf(outputs, URN_KEY) ?? "";

/** The inputs that a resource was last created, updated or read with, out of its outputs. */
export function heldInputs<I extends object, R extends object>(kind: Kind<I, R>, outputs: Values): Values {
  const memory = recall(outputs);
  const held: Values = {};
  for (const field of memory?.given ?? Object.keys(kind.inputs)) {
    if (outputs[field] !== undefined) held[field] = outputs[field];
  }
  if (memory?.asked !== undefined && kind.naming) held[kind.naming.field] = memory.asked;
  return held;
}

/** Refuses to touch a resource that lives elsewhere, or that a newer version of this package has written. */
export function guard(settings: Settings, resource: string, outputs: Values): Memory | undefined {
  const memory = recall(outputs);
  if (memory === undefined) return undefined;
  if (memory.version > VERSION) {
    throw new ResourceError(
      `${resource} was last changed by a newer version of pulumi-cloudservices (state version ${memory.version}; ` +
        `this version knows ${VERSION}). Nothing was done. Upgrade the package.`,
    );
  }
  if (memory.baseUrl !== settings.baseUrl && !settings.formerBaseUrls.includes(memory.baseUrl)) {
    throw new ResourceError(
      `${resource} lives at ${memory.baseUrl}, but this stack is configured for ${settings.baseUrl}. Nothing was done. ` +
        "Set cloudservices:baseUrl back or, if the service has moved and this is the same account, " +
        `run \`pulumi config set cloudservices:formerBaseUrls ${memory.baseUrl}\`.`,
    );
  }
  return memory;
}

/** Whether "not found" proves absence: under another key it may only mean that the key is another tenant's. */
export const sameKey = (settings: Settings, memory: Memory | undefined): boolean =>
  memory === undefined || memory.key === fingerprint(settings) || settings.acceptKeyChange;

/** @param successor - The id of what this run has created in its place: a forced replacement has no look at it first. */
export function keyChanged(resource: string, successor?: string): ResourceError {
  const reason =
    `${resource} was not found, but the API key is not the one that it was last seen with, and another account's key ` +
    "finds nothing.";
  const accept =
    "run `pulumi config set cloudservices:acceptKeyChange true` and then `pulumi up`, which hands the setting on to later refreshes.";
  if (successor !== undefined) {
    return new ResourceError(
      `${reason} It was not deleted, and ${successor} has been created with the new key. If this is the wrong key, delete ` +
        `${successor} at the service, take it out of the state with \`pulumi state delete\`, set the right key, and run ` +
        "`pulumi up`, which deletes the old one and creates a new one. If the key was rotated within one account and the old " +
        `one is really gone, ${accept}`,
    );
  }
  return new ResourceError(
    `${reason} Nothing was done. If this is the wrong key, set the right one. If the key was rotated within one account ` +
      `and the resource is really gone, ${accept}`,
  );
}

/** No request can show that the key is of the same account, so the deletion of the predecessor may find nothing. */
export function replacedUnderOtherKey(resource: string): ResourceError {
  return new ResourceError(
    `${resource} is to be replaced, but the API key has changed, and no request can read the resource with the new key. ` +
      "A key of another account would create a second resource and could not delete this one. Nothing was done. If this is " +
      "the wrong key, set the right one. If the new key belongs to the same account, run " +
      "`pulumi config set cloudservices:acceptKeyChange true`, then `pulumi up` again.",
  );
}

/** Each of the two would undo what the other does, and deleting one would delete both. */
export function managedTwice(resource: string, twin: string): ResourceError {
  return new ResourceError(
    `${resource} is in this stack twice: ${twin} is the same. Nothing was done. Remove one of them from the program; it is ` +
      "then taken out of the state, and not deleted as long as the other one is there.",
  );
}

/** How messages call a resource: its kind, its name and, once there is one, its id. */
export function describe(kind: { readonly name: string }, values: Values, id?: string): string {
  const urn = stringOf(values, URN_KEY);
  const name = urn && logicalName(urn);
  return [kind.name, name && JSON.stringify(name), id && `(${id})`].filter(Boolean).join(" ");
}

/** A kind in a sentence: a Link, an Inbox. */
export const withArticle = (kind: string): string => `${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind}`;
