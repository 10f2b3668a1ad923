import type { Evidence } from "../../evidence/evidence.js";
import { exchangesIn } from "../facts.js";
import { type Finding, finding, lineOf, phaseLine, type Rule } from "../violation.js";

/** Steps that change nothing. */
const quiet: ReadonlySet<string> = new Set(["same", "check", "diff", "read", "refresh"]);

/** Scenarios without a change. */
const unchanging: ReadonlySet<string> = new Set(["same", "refresh", "rename"]);

/** After recovery the preview is empty, and an unchanged program changes nothing. */
export const converged: Rule = {
  name: "converged",
  judge: (evidence) => [...plannedChanges(evidence), ...sentChanges(evidence)],
};

function plannedChanges(evidence: Evidence): Finding[] {
  return evidence.phases.flatMap((phase, index): Finding[] => {
    if (phase.name !== "preview") return [];
    const line = phaseLine(evidence, index);
    if (phase.outcome !== "ok")
      return [finding("the preview after recovery fails", line, ...textsOf(phase.printed))];
    const steps = phase.steps.filter(({ op }) => !quiet.has(op));
    if (steps.length === 0) return [];
    const planned = steps.map(({ op, urn, keys }) => `${op} ${urn}${keys ? ` (${keys.join(", ")})` : ""}`);
    return [finding(`the preview after recovery plans ${planned.join("; ")}`, line)];
  });
}

/** Finds requests other than GET in the run of an unchanged program. */
function sentChanges(evidence: Evidence): Finding[] {
  if (!unchanging.has(evidence.scenario.operation)) return [];
  return evidence.phases
    .filter(({ name }) => name === "broken")
    .flatMap((phase) => exchangesIn(evidence, phase))
    .filter(({ method }) => method !== "GET")
    .map((exchange) =>
      finding(`${evidence.scenario.operation} sent a request that changes something`, lineOf(exchange)),
    );
}

const textsOf = (printed: readonly { readonly text: string }[]): string[] => printed.map(({ text }) => text);
