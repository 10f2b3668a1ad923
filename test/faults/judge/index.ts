import type { Evidence } from "../evidence/evidence.js";
import { agreement } from "./rules/agreement.js";
import { bounds } from "./rules/bounds.js";
import { converged } from "./rules/converged.js";
import { destroyed } from "./rules/destroyed.js";
import { doubled } from "./rules/doubled.js";
import { foreign } from "./rules/foreign.js";
import { forgotten } from "./rules/forgotten.js";
import { lost } from "./rules/lost.js";
import { messages } from "./rules/messages.js";
import { recovery } from "./rules/recovery.js";
import { replaced } from "./rules/replaced.js";
import { resent } from "./rules/resent.js";
import { retryAfter } from "./rules/retry-after.js";
import { secrets } from "./rules/secrets.js";
import { successor } from "./rules/successor.js";
import type { Rule, Violation } from "./violation.js";

export type { Violation } from "./violation.js";

/** Every promise that the judge checks. */
export const rules: readonly Rule[] = [
  lost,
  doubled,
  resent,
  foreign,
  agreement,
  converged,
  destroyed,
  successor,
  replaced,
  forgotten,
  bounds,
  retryAfter,
  secrets,
  messages,
  recovery,
];

/** Judges one run by its evidence. The judge knows the specification, and nothing of the provider. */
export function judge(evidence: Evidence): Violation[] {
  return rules.flatMap((rule) => rule.judge(evidence).map((found) => ({ rule: rule.name, ...found })));
}
