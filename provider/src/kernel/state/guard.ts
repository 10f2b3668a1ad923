import type { Properties } from "../definition/properties.js";
import { ResourceError } from "../diagnostics/errors.js";
import { fingerprint, type Settings } from "../settings/settings.js";
import { type ResourceState, readState, VERSION } from "./resource-state.js";

/** Refuses to touch a resource that lives elsewhere, or that a newer version of this package has written. */
export function guard(settings: Settings, resource: string, outputs: Properties): ResourceState | undefined {
  const memory = readState(outputs);
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
export const sameKey = (settings: Settings, memory: ResourceState | undefined): boolean =>
  memory === undefined || memory.key === fingerprint(settings) || settings.acceptKeyChange;

/** @param successor - The id of what this run has created in its place: a forced replacement has no look at it first. */
export function keyChangedError(resource: string, successor?: string): ResourceError {
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
export function replacedUnderOtherKeyError(resource: string): ResourceError {
  return new ResourceError(
    `${resource} is to be replaced, but the API key has changed, and no request can read the resource with the new key. ` +
      "A key of another account would create a second resource and could not delete this one. Nothing was done. If this is " +
      "the wrong key, set the right one. If the new key belongs to the same account, run " +
      "`pulumi config set cloudservices:acceptKeyChange true`, then `pulumi up` again.",
  );
}

/** Each of the two would undo what the other does, and deleting one would delete both. */
export function managedTwiceError(resource: string, twin: string): ResourceError {
  return new ResourceError(
    `${resource} is in this stack twice: ${twin} is the same. Nothing was done. Remove one of them from the program; it is ` +
      "then taken out of the state, and not deleted as long as the other one is there.",
  );
}
