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
   * Undefined: the engine compares the inputs. True: the outputs demand work, whatever the inputs say. False: the
   * resource has another place in the program, and is the same.
   */
  readonly changes: boolean | undefined;
  readonly replaces: string[];
  readonly deleteBeforeReplace: boolean;
}

/** Says which changes can only be made by a new resource, and whether the outputs demand work. Asks nobody. */
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
  const spent = kind.mustReplace?.(outputs, news, now) ?? [];
  const hopeless = memory?.failed !== undefined && !memory.everReady ? ["status"] : [];
  const notReady = memory !== undefined && !memory.ready;
  const demands = notReady || spent.length > 0 || hopeless.length > 0;
  const isElsewhere = NOTES.some((key) => !equal(outputs[key], news[key]));
  const moved = isElsewhere && changed.length === 0 && besideAgrees(outputs, news);
  return {
    changes: demands ? true : moved ? false : undefined,
    replaces: [...replaces, ...spent, ...hopeless],
    deleteBeforeReplace: replaces.length === 0 && keepsUniqueName(kind, news, names),
  };
}

/** A new resource cannot have a unique name while the old one lives; a derived name changes instead. */
function keepsUniqueName<I extends object, R extends object>(
  kind: Kind<I, R>,
  news: Properties,
  names: PlannedNames,
): boolean {
  return kind.naming?.unique === true && names.isGiven(stringOf(news, URN_KEY) ?? "");
}

/** Where a resource stands in the program and which inputs are secret there: no change of the resource. */
const NOTES: readonly string[] = [URN_KEY, SECRETS_KEY];

/** The inputs beside those of the definition are the same as well, but for the place in the program. */
const besideAgrees = (outputs: Properties, news: Properties): boolean =>
  COMMON_INPUTS.every((key) => NOTES.includes(key) || equal(outputs[key], news[key]));
