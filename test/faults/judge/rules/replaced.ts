import { isDeepStrictEqual } from "node:util";
import type { Evidence } from "../../evidence/evidence.js";
import type { Phase } from "../../evidence/phase.js";
import type { Declared, Step } from "../../evidence/stack.js";
import { aliveIn, declaredAs, programOf, propertyOf } from "../facts.js";
import { finding, phaseLine, type Rule } from "../violation.js";

const replacing: ReadonlySet<string> = new Set(["replace", "create-replacement", "delete-replaced"]);

/** An unchanged resource is not replaced, unless it is unusable. */
export const replaced: Rule = {
  name: "replaced",
  judge: (evidence) =>
    evidence.phases.flatMap((phase, index) =>
      phase.steps
        .filter(({ op }) => replacing.has(op))
        .filter((step) => isNeedless(evidence, phase, index, step))
        .map(({ op, urn, keys }) =>
          finding(
            `${op} of ${urn}, which the program has not changed${keys ? ` (${keys.join(", ")})` : ""}`,
            phaseLine(evidence, index),
          ),
        ),
    ),
};

function isNeedless(evidence: Evidence, phase: Phase, index: number, { urn }: Step): boolean {
  const now = declaredAs(programOf(evidence, phase), urn);
  const before = evidence.phases[index - 1];
  const entry = before?.state.resources.find((found) => found.urn === urn && !found.pendingDelete);
  if (!now || !before || !entry) return false;
  if (phase.typed.length > 0 || declarationsBefore(evidence, index, urn).some((then) => !isSame(then, now)))
    return false;
  const live = aliveIn(before, entry.kind, entry.id);
  // Its input changes when a dependency is replaced.
  const refers = Object.values(now.inputs).some((value) => JSON.stringify(value)?.includes('"$ref"'));
  const isOfUse = live !== undefined && live.fields["status"] !== "failed";
  return isOfUse && !refers && propertyOf(entry.outputs, "expired") !== true;
}

/** Returns its earlier declarations. */
const declarationsBefore = (evidence: Evidence, index: number, urn: string): Declared[] =>
  evidence.phases.slice(0, index).flatMap((phase) => declaredAs(programOf(evidence, phase), urn) ?? []);

const isSame = (a: Declared, b: Declared): boolean => isDeepStrictEqual(withoutAdopt(a), withoutAdopt(b));

/** Inputs that are no change when added or removed. */
const withoutAdopt = ({ inputs }: Declared): unknown => ({ ...inputs, adopt: undefined });
