import { effect } from "./changes.js";
import type { Kind } from "./kind.js";
import { recall } from "./memory.js";
import type { NamesInPlan } from "./named.js";
import { changedSince } from "./normalised.js";
import type { Settings } from "./settings.js";
import { BESIDE, equal, SECRETS_KEY, stringOf, URN_KEY, type Values } from "./values.js";

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
  outputs: Values,
  news: Values,
  settings: Settings,
  names: NamesInPlan,
  now: number,
): Difference {
  const memory = recall(outputs);
  const changed = changedSince(kind, outputs, news);
  const replaces = changed
    .filter(([, input]) => effect(kind, input, news, settings) === "replace")
    .map(([field]) => field);
  const spent = kind.spent?.(outputs, news, now) ?? [];
  const hopeless = memory?.failed !== undefined && !memory.everSettled ? ["status"] : [];
  const unsettled = memory !== undefined && !memory.settled;
  const demands = unsettled || spent.length > 0 || hopeless.length > 0;
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
  news: Values,
  names: NamesInPlan,
): boolean {
  return kind.naming?.unique === true && names.isGiven(stringOf(news, URN_KEY) ?? "");
}

/** Where a resource stands in the program and which inputs are secret there: no change of the resource. */
const NOTES: readonly string[] = [URN_KEY, SECRETS_KEY];

/** The inputs beside those of the definition are the same as well, but for the place in the program. */
const besideAgrees = (outputs: Values, news: Values): boolean =>
  BESIDE.every((key) => NOTES.includes(key) || equal(outputs[key], news[key]));
