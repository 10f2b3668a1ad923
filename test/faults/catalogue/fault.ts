import type { InjectedFault } from "../evidence/evidence.js";
import type { Answer, Strike } from "../service/service.js";

/** What results are counted by; docs/failure-model.md has a section for each. */
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

/** A way in which one request, or all from it on, can go wrong. */
export interface Fault {
  readonly name: string;
  readonly class: FaultClass;
  readonly span: InjectedFault["span"];
  readonly when: InjectedFault["when"];
  readonly strike: Strike;
}

/** A request that was seen in a clean run. */
export interface Seen {
  /** Its place among the requests of the phase, and among those of the same method and route. */
  readonly index: number;
  readonly occurrence: number;
  readonly method: string;
  readonly route: string;
  readonly target: string;
  readonly answer: Answer | undefined;
  readonly requestBody: unknown;
}
