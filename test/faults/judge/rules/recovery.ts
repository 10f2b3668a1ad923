import type { Evidence } from "../../evidence/evidence.js";
import { aliveIn, exchangesIn, kindIn, member } from "../facts.js";
import { type Finding, finding, lineOf, phaseLine, type Rule } from "../violation.js";

/** The maximum number of runs to recover. */
const MOST_RUNS = 3;

/** Without a fault everything succeeds, and after a fault at most three runs recover. */
export const recovery: Rule = {
  name: "recovery",
  judge: (evidence) => [...unprovoked(evidence), ...unending(evidence), ...undeletable(evidence)],
};

/** Deleting a deleted resource succeeds. Specification: "Errors", `RESOURCE_NOT_FOUND`. */
function undeletable(evidence: Evidence): Finding[] {
  // With another key, "not found" proves nothing.
  if (evidence.faults.some((fault) => fault.class === "key")) return [];
  return evidence.phases.flatMap((phase, index) =>
    phase.steps
      .filter(({ op, outcome }) => op.startsWith("delete") && outcome === "failed")
      .flatMap(({ id = "", urn }) => {
        const kind = kindIn(urn);
        const responses = exchangesIn(evidence, phase).filter(({ target }) =>
          target.split(/[/?]/).includes(id),
        );
        const last = responses.at(-1);
        const isProven =
          last?.sent?.status === 404 &&
          !last.sent.cut &&
          member(last.sent.body, "error", "code") === NOT_FOUND;
        if (!isProven || kind === undefined || aliveIn(phase, kind, id)) return [];
        return [
          finding(
            `${kind} ${id} is deleted, but deleting it again failed`,
            lineOf(last),
            phaseLine(evidence, index),
          ),
        ];
      }),
  );
}

const NOT_FOUND = "RESOURCE_NOT_FOUND";

/** Finds failures outside of the broken phase, or without a fault. */
function unprovoked(evidence: Evidence): Finding[] {
  // A wrong key is wrong before the first request.
  const isUnstruck =
    evidence.ending.result === "unstruck" && evidence.faults.every((fault) => fault.class !== "key");
  const isClean = evidence.faults.length === 0 || isUnstruck;
  return evidence.phases.flatMap((phase, index) => {
    const isExpected = phase.name !== "prefix" && !isClean;
    if (phase.outcome === "ok" || isExpected) return [];
    const said = phase.printed.filter(({ kind }) => kind === "diagnostic" || kind === "stderr");
    return [
      finding(
        "a command failed without a fault",
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
    found.push(finding("the stack does not recover, although the user typed every offer", ...said));
  if (ending.result === "stopped")
    found.push(finding("the stack does not recover, and no message offers a line to type", ...said));
  if (ending.result === "crashed") found.push(finding("the run crashed", ...ending.complaints));
  if (ending.runs > MOST_RUNS) found.push(finding(`recovering took ${ending.runs} runs`, ...said));
  return found;
}
