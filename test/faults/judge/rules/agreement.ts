import type { DeclaredProgram, Evidence, Live, Phase, StateResource } from "../../evidence.js";
import { aliveIn, declaredAs, isRecord, programOf, propertyOf, settledPhase } from "../facts.js";
import { type Finding, finding, phaseLine, type Rule } from "../violation.js";
import { differences, isReady, unknownOutputs } from "../wire.js";

/** After recovery, program, state and service agree field by field. */
export const agreement: Rule = {
  name: "agreement",
  judge(evidence) {
    const phase = settledPhase(evidence);
    if (phase?.outcome !== "ok") return [];
    return phase.state.resources
      .filter(({ kind, external, pendingDelete }) => kind !== "VpsAction" && !external && !pendingDelete)
      .flatMap((entry) => judged(evidence, phase, entry));
  },
};

function judged(evidence: Evidence, phase: Phase, entry: StateResource): Finding[] {
  const live = aliveIn(phase, entry.kind, entry.id);
  const line = phaseLine(evidence, evidence.phases.indexOf(phase));
  if (live === undefined) {
    if (propertyOf(entry.outputs, "expired") === true) return [];
    return [finding(`${entry.kind} ${entry.id} is in the state and not at the service`, line)];
  }
  const said = (name: string) => propertyOf(entry.outputs, name);
  const isBlind = evidence.mode === "documented";
  const wrong = [
    ...differences(live, said, isBlind ? "inputs" : undefined).map((field) => `${field} of the state`),
    ...differences(live, declared(programOf(evidence, phase), phase, entry), "inputs").map(
      (field) => `${field} of the program`,
    ),
    ...(isBlind ? [] : unknownOutputs(live, said)).map(
      (field) => `the state has no ${field}, which the service shows`,
    ),
    ...(isReady(live.kind, live.fields) ? [] : [`its status is ${String(live.fields["status"])}`]),
    ...entry.initErrors.map((error) => `unfinished in the state: ${error}`),
  ];
  if (wrong.length === 0) return [];
  return [
    finding(
      `${entry.kind} ${entry.id} does not agree with the service: ${wrong.join("; ")}`,
      line,
      shown(live, entry),
    ),
  ];
}

/** What the program gives, with the values that come from other resources. */
function declared(
  program: DeclaredProgram | undefined,
  phase: Phase,
  entry: StateResource,
): (name: string) => unknown {
  const inputs = declaredAs(program, entry.urn)?.inputs ?? {};
  return (name) => {
    const value = inputs[name];
    if (!isRecord(value)) return value;
    if (!("$ref" in value)) return "$secret" in value ? value["$secret"] : value;
    const urn = program?.resources.find((resource) => resource.name === value["$ref"])?.urn;
    const other = phase.state.resources.find((resource) => resource.urn === urn && !resource.pendingDelete);
    const output = String(value["output"]);
    return output === "id" ? other?.id : other && propertyOf(other.outputs, output);
  };
}

const shown = (live: Live, { outputs }: StateResource): string =>
  `service ${JSON.stringify(live.fields)}; state ${JSON.stringify(outputs)}`;
