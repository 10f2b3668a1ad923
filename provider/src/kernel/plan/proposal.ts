import type { Kind } from "../definition/kind.js";
import type { Properties } from "../definition/properties.js";
import type { Settings } from "../settings/settings.js";
import type { PlannedNames } from "./planned-names.js";

/** What the program asks of one resource, beside what it asked for in the last run. */
export interface Proposal<I extends object, R extends object> {
  readonly kind: Kind<I, R>;
  /** In the last run; empty where there is no resource yet. */
  readonly olds: Properties;
  readonly news: Properties;
  readonly exists: boolean;
  readonly settings: Settings;
  readonly names: PlannedNames;
}
