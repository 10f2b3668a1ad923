import type { Kind } from "./kind.js";
import type { NamesInPlan } from "./named.js";
import type { Settings } from "./settings.js";
import type { Values } from "./values.js";

/** What the program asks of one resource, beside what it asked for in the last run. */
export interface Proposal<I extends object, R extends object> {
  readonly kind: Kind<I, R>;
  /** In the last run; empty where there is no resource yet. */
  readonly olds: Values;
  readonly news: Values;
  readonly exists: boolean;
  readonly settings: Settings;
  readonly names: NamesInPlan;
}
