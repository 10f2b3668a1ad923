import type { Kind } from "../definition/kind.js";
import type { Properties } from "../definition/properties.js";
import type { Settings } from "../settings/settings.js";
import type { PlannedNames } from "./planned-names.js";

/** What the program says about a resource besides its inputs. */
export interface Declaration {
  /** Absent when the engine does not send it. */
  readonly urn: string | undefined;
  /** The option `import` names the resource. The dynamic classes then also set `adopt`. */
  readonly isImport: boolean;
  /** The properties in the option `replaceOnChanges`, which the engine applies without the provider. */
  readonly replaceOnChanges: readonly string[];
}

/** The program's inputs for one resource, with those of the last run. */
export interface Proposal<I extends object, R extends object> extends Declaration {
  readonly kind: Kind<I, R>;
  /** The inputs of the last run; empty if there is no resource yet. */
  readonly olds: Properties;
  readonly news: Properties;
  readonly exists: boolean;
  readonly settings: Settings;
  readonly names: PlannedNames;
}
