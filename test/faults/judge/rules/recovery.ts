import type { Evidence } from "../../evidence.js";
import { type Finding, finding, phaseLine, type Rule } from "../violation.js";

/** More runs than these no one should need. */
const MOST_RUNS = 3;

/** What no fault has struck succeeds, and what one has struck is whole again after at most three runs. */
export const recovery: Rule = {
  name: "recovery",
  judge: (evidence) => [...unprovoked(evidence), ...unending(evidence)],
};

/** A fault strikes the broken phase only. Without one, nothing fails. */
function unprovoked(evidence: Evidence): Finding[] {
  const isClean = evidence.faults.length === 0 || evidence.ending.result === "unstruck";
  return evidence.phases.flatMap((phase, index) => {
    const isExpected = phase.name !== "prefix" && !isClean;
    if (phase.outcome === "ok" || isExpected) return [];
    const said = phase.printed.filter(({ kind }) => kind === "diagnostic" || kind === "stderr");
    return [
      finding(
        "a command failed that no fault had struck",
        phaseLine(evidence, index),
        ...said.map(({ text }) => text),
      ),
    ];
  });
}

function unending({ ending, phases }: Evidence): Finding[] {
  const said = phases.findLast(({ outcome }) => outcome === "failed")?.printed.map(({ text }) => text) ?? [];
  const found: Finding[] = [];
  if (ending.result === "stuck")
    found.push(
      finding("the stack does not recover, although everything that was offered was typed", ...said),
    );
  if (ending.result === "stopped")
    found.push(finding("the stack does not recover, and no message offers a line to type", ...said));
  if (ending.result === "crashed") found.push(finding("the run crashed", ...ending.complaints));
  if (ending.runs > MOST_RUNS) found.push(finding(`recovering took ${ending.runs} runs`, ...said));
  return found;
}
