import type { InjectedFault } from "../evidence/evidence.js";
import type { HttpResponse, Strike } from "../service/service.js";

/** The classes that results are grouped by; docs/failure-model.md has a section for each. */
export const faultClasses = [
  "rate-limit",
  "server-error",
  "reset",
  "cut",
  "stall",
  "down",
  "body",
  "field",
  "refused",
  "key",
  "kill",
  "drift",
  "rival",
  "stale",
  "list",
  "provisioning",
  "normalised",
  "masked",
  "clock",
] as const;
export type FaultClass = (typeof faultClasses)[number];

/** A way in which a request, or every request from it on, fails. */
export interface Fault {
  readonly name: string;
  readonly class: FaultClass;
  readonly span: InjectedFault["span"];
  readonly when: InjectedFault["when"];
  readonly strike: Strike;
}

/** A request of the run without faults. */
export interface SeenRequest {
  /** Its position among the requests of the phase, and among those of the same method and route. */
  readonly index: number;
  readonly occurrence: number;
  readonly method: string;
  readonly route: string;
  readonly target: string;
  readonly response: HttpResponse | undefined;
  readonly requestBody: unknown;
}
