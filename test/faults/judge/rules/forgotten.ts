import type { Evidence } from "../../evidence/evidence.js";
import type { Phase } from "../../evidence/phase.js";
import type { StateResource } from "../../evidence/stack.js";
import { aliveIn, declaredAs, member, programOf, propertyOf } from "../facts.js";
import { finding, phaseLine, type Rule } from "../violation.js";
import { fieldsOf } from "../wire.js";

/** The state keeps a value that a response omits. */
export const forgotten: Rule = {
  name: "forgotten",
  judge: (evidence) =>
    evidence.phases.flatMap((phase, index) => {
      const before = evidence.phases[index - 1];
      return phase.state.resources.flatMap((entry) => {
        const then = before?.state.resources.find(({ id, kind }) => id === entry.id && kind === entry.kind);
        const lost = then ? missing(evidence, phase, then, entry) : [];
        if (lost.length === 0) return [];
        return [
          finding(
            `${entry.kind} ${entry.id} has lost ${lost.join(", ")} from the state`,
            phaseLine(evidence, index),
          ),
        ];
      });
    }),
};

/** Finds outputs that the state lost, although the service still has them. */
function missing(evidence: Evidence, phase: Phase, then: StateResource, now: StateResource): string[] {
  const live = aliveIn(phase, now.kind, now.id);
  if (live === undefined) return [];
  const program = programOf(evidence, phase);
  const isGiven = (name: string) => !program || declaredAs(program, now.urn)?.inputs[name] !== undefined;
  return fieldsOf(now.kind)
    .filter(
      ({ name, wire }) =>
        propertyOf(then.outputs, name) !== undefined && member(live.fields, ...wire) !== undefined,
    )
    .filter(({ name }) => propertyOf(now.outputs, name) === undefined)
    .filter(({ name, isInput, isOptional }) => (isInput ? isGiven(name) : !isOptional))
    .map(({ name }) => name);
}
