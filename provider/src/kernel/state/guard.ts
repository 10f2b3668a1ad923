import type { Properties } from "../definition/properties.js";
import type { Fix } from "../diagnostics/diagnostic.js";
import { ResourceError } from "../diagnostics/errors.js";
import { setting } from "../settings/setting-change.js";
import type { Settings } from "../settings/settings.js";
import { describeResource } from "./describe.js";
import { fingerprint } from "./fingerprint.js";
import { type ResourceState, readState, VERSION } from "./resource-state.js";

const RIGHT_KEY = setting("apiKey");
const ACCEPT_KEY = [setting("acceptKeyChange", true), ", then pulumi up"];

const OTHER_PROVIDER: Fix = {
  when: "if the resource had another provider",
  line: "its option `provider` as it was",
  isNative: true,
};

/**
 * Returns the stored state of a resource.
 *
 * @throws ResourceError when the resource belongs to another service, or when a newer version of this package wrote it.
 */
export function guard(settings: Settings, resource: string, outputs: Properties): ResourceState | undefined {
  const memory = readState(outputs);
  if (memory === undefined) return undefined;
  if (memory.version > VERSION) {
    throw new ResourceError({
      code: "STATE_TOO_NEW",
      summary: `${resource} was written by a newer pulumi-cloudservices`,
      cause: `its state has version ${memory.version}; this package reads up to ${VERSION}. Nothing was done.`,
      // No command that names the package: it is not in the registry, where the name could be somebody else's.
      fixes: [{ line: "install the version of pulumi-cloudservices that the stack was last run with" }],
    });
  }
  if (memory.baseUrl !== settings.baseUrl && !settings.formerBaseUrls.includes(memory.baseUrl)) {
    throw new ResourceError({
      code: "WRONG_SERVICE",
      summary: `${resource} belongs to ${memory.baseUrl}`,
      cause: `the configured service is ${settings.baseUrl}. Nothing was done.`,
      fixes: [
        {
          when: "if the setting is wrong",
          line: [setting("baseUrl", memory.baseUrl)],
        },
        {
          when: "if the service moved and the account is the same",
          line: [setting("formerBaseUrls", [memory.baseUrl])],
        },
        OTHER_PROVIDER,
      ],
    });
  }
  return memory;
}

/** Returns whether "not found" proves absence: a different key may be another tenant's. */
export const sameKey = (settings: Settings, memory: ResourceState | undefined): boolean =>
  memory === undefined || memory.key === fingerprint(settings) || settings.acceptKeyChange;

/** Returns the error for a resource that is not found with a changed API key. */
export function keyChangedError(resource: string): ResourceError {
  return new ResourceError({
    code: "KEY_CHANGED",
    summary: `${resource} was not found with the changed API key`,
    cause: "a key of another account cannot see this resource. Nothing was done.",
    fixes: [
      { when: "if the key is wrong", line: [RIGHT_KEY] },
      { when: "if the key was rotated in the same account and the resource is deleted", line: ACCEPT_KEY },
      OTHER_PROVIDER,
    ],
  });
}

/**
 * Returns the same error after a forced replacement, which the provider cannot see in advance.
 *
 * @param successor - The id of the resource that this run created in its place.
 */
export function replacedAcrossKeysError(resource: string, successor: string): ResourceError {
  return new ResourceError({
    code: "KEY_CHANGED",
    summary: `${resource} was not found with the changed API key, after ${successor} replaced it`,
    cause: "a key of another account cannot see the old resource, so it was not deleted.",
    fixes: [
      {
        when: "if the key is wrong",
        line: [`delete ${successor} at the service, pulumi state delete it, `, RIGHT_KEY, ", then pulumi up"],
      },
      { when: "if the key was rotated in the same account and the resource is deleted", line: ACCEPT_KEY },
      OTHER_PROVIDER,
    ],
  });
}

/** Returns the error for a kind that cannot be read: no request can show whether the key is of the same account. */
export function replacedUnderOtherKeyError(resource: string): ResourceError {
  return new ResourceError({
    code: "KEY_CHANGED",
    summary: `${resource} cannot be replaced with the changed API key`,
    cause:
      "no request can read the old resource, and a key of another account could not delete it. Nothing was done.",
    fixes: [
      { when: "if the key is wrong", line: [RIGHT_KEY] },
      { when: "if the key belongs to the same account", line: ACCEPT_KEY },
      OTHER_PROVIDER,
    ],
  });
}

/** Returns the error for two entries of one resource: each would undo the changes of the other. */
export function managedTwiceError(
  kind: { readonly name: string },
  id: string,
  urn: string,
  twin: string,
): ResourceError {
  return new ResourceError({
    code: "MANAGED_TWICE",
    summary: `${describeResource(kind, urn, id)} is in this stack twice: ${describeResource(kind, twin, id)} is the same resource`,
    cause: "each would undo the changes of the other. Nothing was done.",
    fixes: [
      { line: "remove one of them from the program; the resource is not deleted while the other remains" },
      { when: "to forget one without the program", line: `pulumi state delete '${urn}', or '${twin}'` },
    ],
  });
}
