import type { Fault, SeenRequest } from "../catalogue/fault.js";
import type { Exchange } from "../evidence/service.js";
import type { Patch } from "../host/compile.js";
import type { Plan } from "../scenarios.js";
import type { ChosenFault } from "../service/service.js";

/** A fault at one request of the broken command. */
export interface FaultAt {
  readonly seen: SeenRequest;
  readonly fault: Fault;
}

/** A scenario and the faults that strike it. */
export interface Case {
  /** What `--replay` takes. */
  readonly id: string;
  readonly seed: number;
  readonly plan: Plan;
  readonly strikes: readonly FaultAt[];
  readonly mutant?: { readonly name: string; readonly apply: Patch };
  /** Random faults, where none of `strikes` applies. */
  readonly chaos?: {
    choose(exchange: Exchange): ChosenFault | undefined;
    readonly lied: boolean;
  };
}

/** Classes of faults after which a command can succeed on false data. */
export const MISLEADING: ReadonlySet<string> = new Set(["field", "stale", "list", "provisioning", "drift"]);

/** Whether the case contains the fault of this name. */
export const hasFault = ({ strikes }: Case, name: string): boolean =>
  strikes.some(({ fault }) => fault.name === name);
