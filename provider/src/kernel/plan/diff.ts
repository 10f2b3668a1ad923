import { effectOf } from "../definition/changes.js";
import type { Kind } from "../definition/kind.js";
import type { Properties } from "../definition/properties.js";
import type { Settings } from "../settings/settings.js";
import { changedInputs } from "../state/normalised.js";
import { readState } from "../state/resource-state.js";
import type { PlannedNames } from "./planned-names.js";

export interface Difference {
  /** The outputs require an update, even with unchanged inputs. */
  readonly needsWork: boolean;
  /** The inputs whose value in the program differs from the resource. */
  readonly changed: readonly string[];
  readonly replaces: string[];
  readonly deleteBeforeReplace: boolean;
}

interface DiffContext {
  readonly urn: string;
  readonly settings: Settings;
  readonly names: PlannedNames;
  /** The time, in milliseconds since 1970. */
  readonly now: number;
}

/** Returns which changes require a replacement and whether the outputs require an update. Sends no requests. */
export function diff<I extends object, R extends object>(
  kind: Kind<I, R>,
  outputs: Properties,
  news: Properties,
  { urn, settings, names, now }: DiffContext,
): Difference {
  const memory = readState(outputs);
  const changed = changedInputs(kind, outputs, news);
  const replaces = changed
    .filter(([, input]) => effectOf(kind, input, news, settings) === "replace")
    .map(([field]) => field);
  const expired = kind.mustReplace?.(outputs, news, now) ?? [];
  const failed = memory?.failed !== undefined && !memory.everReady ? ["status"] : [];
  const notReady = memory !== undefined && !memory.ready;
  const needsWork = notReady || expired.length > 0 || failed.length > 0;
  return {
    needsWork,
    changed: changed.map(([field]) => field),
    replaces: [...replaces, ...expired, ...failed],
    deleteBeforeReplace: replaces.length === 0 && keepsUniqueName(kind, urn, names),
  };
}

/** Returns whether the successor needs the unique name of the old resource; a derived name changes instead. */
function keepsUniqueName<I extends object, R extends object>(
  kind: Kind<I, R>,
  urn: string,
  names: PlannedNames,
): boolean {
  return kind.naming?.unique === true && names.isGiven(urn);
}
