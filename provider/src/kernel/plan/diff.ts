import { effectOf } from "../definition/changes.js";
import type { Kind } from "../definition/kind.js";
import {
  COMMON_INPUTS,
  equal,
  type Properties,
  SECRETS_KEY,
  stringOf,
  URN_KEY,
} from "../definition/properties.js";
import type { Settings } from "../settings/settings.js";
import { changedInputs } from "../state/normalised.js";
import { readState } from "../state/resource-state.js";
import type { PlannedNames } from "./planned-names.js";

export interface Difference {
  /**
   * Undefined: the engine compares the inputs. True: the outputs require an update, even with unchanged inputs. False:
   * the resource only moved in the program.
   */
  readonly changes: boolean | undefined;
  /** The inputs whose value in the program differs from the resource. */
  readonly changed: readonly string[];
  readonly replaces: string[];
  readonly deleteBeforeReplace: boolean;
}

/** Returns which changes require a replacement and whether the outputs require an update. Sends no requests. */
export function diff<I extends object, R extends object>(
  kind: Kind<I, R>,
  outputs: Properties,
  news: Properties,
  settings: Settings,
  names: PlannedNames,
  now: number,
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
  const isElsewhere = NOTES.some((key) => !equal(outputs[key], news[key]));
  const moved = isElsewhere && changed.length === 0 && hasSameCommonInputs(outputs, news);
  return {
    changes: needsWork ? true : moved ? false : undefined,
    changed: changed.map(([field]) => field),
    replaces: [...replaces, ...expired, ...failed],
    deleteBeforeReplace: replaces.length === 0 && keepsUniqueName(kind, news, names),
  };
}

/** Returns whether the successor needs the unique name of the old resource; a derived name changes instead. */
function keepsUniqueName<I extends object, R extends object>(
  kind: Kind<I, R>,
  news: Properties,
  names: PlannedNames,
): boolean {
  return kind.naming?.unique === true && names.isGiven(stringOf(news, URN_KEY) ?? "");
}

/** The common inputs that only describe the program: a change of them does not change the resource. */
const NOTES: readonly string[] = [URN_KEY, SECRETS_KEY];

/** Returns whether the common inputs are the same, ignoring those that only describe the program. */
const hasSameCommonInputs = (outputs: Properties, news: Properties): boolean =>
  COMMON_INPUTS.every((key) => NOTES.includes(key) || equal(outputs[key], news[key]));
