import { isDeepStrictEqual } from "node:util";
import type { Evidence } from "../../evidence/evidence.js";
import type { Foreign } from "../../evidence/service.js";
import { aliveIn, entryIn } from "../facts.js";
import { type Finding, finding, lineOf, phaseLine, type Rule } from "../violation.js";
import { settingsIn } from "../wire.js";

/** Resources of other owners are never adopted, changed or deleted. */
export const foreign: Rule = {
  name: "foreign",
  judge: (evidence) =>
    evidence.foreign
      .filter(({ released }) => !released)
      .flatMap((planted) => [
        ...writesTo(evidence, planted),
        ...adoptionsOf(evidence, planted),
        ...changesOf(evidence, planted),
      ]),
};

function writesTo({ exchanges }: Evidence, { kind, id }: Foreign): Finding[] {
  return exchanges
    .filter(({ method, target }) => method !== "GET" && target.split(/[/?]/).includes(id))
    .map((exchange) => finding(`${kind} ${id} is not ours, and was written to`, lineOf(exchange)));
}

function adoptionsOf(evidence: Evidence, { kind, id }: Foreign): Finding[] {
  const at = evidence.phases.findIndex((phase) => entryIn(phase, kind, id) !== undefined);
  if (at < 0) return [];
  return [finding(`${kind} ${id} is not ours, and is in the state`, phaseLine(evidence, at))];
}

function changesOf(evidence: Evidence, planted: Foreign): Finding[] {
  const { kind, id } = planted;
  const at = evidence.phases.findIndex((phase, index) => {
    if (index < planted.planted.phase) return false;
    const live = aliveIn(phase, kind, id);
    return live === undefined || !isDeepStrictEqual(settingsIn(live), settingsIn(planted));
  });
  if (at < 0) return [];
  const phase = evidence.phases[at];
  const what = phase && aliveIn(phase, kind, id) ? "is not as its owner made it" : "is not there any more";
  return [finding(`${kind} ${id} is not ours, and ${what}`, phaseLine(evidence, at))];
}
