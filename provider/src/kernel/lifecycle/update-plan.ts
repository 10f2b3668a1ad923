import { effectOf } from "../definition/changes.js";
import type { Kind } from "../definition/kind.js";
import { fieldsOf } from "../definition/kind-values.js";
import type { Properties } from "../definition/properties.js";
import type { Settings } from "../settings/settings.js";
import { changedInputs } from "../state/normalised.js";
import { appliedInputs, type ResourceState } from "../state/resource-state.js";

/** What an update sends. */
export interface UpdatePlan {
  /** The inputs that the resource has. */
  readonly before: Properties;
  /** The inputs that it is to have. */
  readonly values: Properties;
  /** The fields to send. */
  readonly fields: readonly string[];
  /** The name that the resource keeps instead of the requested one, which another resource had. */
  readonly substitute: Properties;
  /** An earlier operation ended before the resource was ready. */
  readonly isUnfinished: boolean;
  /** Whether `converge` may have something to do. */
  readonly converges: boolean;
}

/** Decides what an update sends. */
export function planUpdate<I extends object, R extends object>(
  kind: Kind<I, R>,
  settings: Settings,
  memory: ResourceState | undefined,
  olds: Properties,
  news: Properties,
): UpdatePlan {
  const changed = new Map(changedInputs(kind, olds, news));
  const fields = fieldsOf(kind)
    .filter(([field]) => changed.has(field) || memory?.uncertain?.includes(field))
    .filter(([, input]) => effectOf(kind, input, news, settings) === "update")
    .map(([field]) => field);
  // Another resource had the requested name. This one keeps its substitute until the program requests another name.
  const name = kind.naming?.field ?? "";
  const substitute = memory?.asked === undefined ? {} : { [name]: olds[name] };
  const isUnfinished = memory?.ready === false;
  return {
    before: appliedInputs(kind, olds),
    values: news[name] === memory?.asked ? { ...news, ...substitute } : news,
    fields,
    substitute,
    isUnfinished,
    converges: isUnfinished || fields.some((field) => changed.get(field)?.converges),
  };
}
