import type { Evidence } from "../../evidence/evidence.js";
import type { Phase } from "../../evidence/phase.js";
import type { Exchange } from "../../evidence/service.js";
import type { StateResource } from "../../evidence/stack.js";
import {
  aliveIn,
  creationsIn,
  declaredAs,
  isForeign,
  isLeaving,
  member,
  phaseOf,
  programOf,
} from "../facts.js";
import { type Finding, finding, lineOf, phaseLine, type Rule } from "../violation.js";
import { holdsData, isReady } from "../wire.js";

/** A replacement never leaves neither, and nothing that holds data is deleted before its successor is ready. */
export const successor: Rule = {
  name: "successor",
  judge: (evidence) => [...deletedTooEarly(evidence), ...neitherLeft(evidence)],
};

interface Deletion {
  readonly exchange: Exchange;
  readonly phase: Phase;
  readonly index: number;
  /** What the state had before the phase. */
  readonly entry: StateResource;
}

/** Deletions of what the program goes on to declare. */
function deletionsOfDeclared(evidence: Evidence): Deletion[] {
  return evidence.exchanges.flatMap((exchange): Deletion[] => {
    if (exchange.method !== "DELETE" || !exchange.service?.committed) return [];
    const index = phaseOf(evidence, exchange);
    const phase = evidence.phases[index];
    if (phase?.command !== "up") return [];
    const before = evidence.phases[index - 1]?.state.resources ?? [];
    const entry = before.find(({ id }) => exchange.target.split(/[/?]/).at(-1) === id);
    if (!entry || entry.external || isForeign(evidence, entry.kind, entry.id)) return [];
    const declared = declaredAs(programOf(evidence, phase), entry.urn);
    return declared && !declared.options.deleteBeforeReplace ? [{ exchange, phase, index, entry }] : [];
  });
}

function deletedTooEarly(evidence: Evidence): Finding[] {
  return deletionsOfDeclared(evidence)
    .filter(({ entry }) => holdsData(entry.kind))
    .flatMap(({ exchange, entry }) => {
      const isSucceeded = creationsIn(evidence).some(
        (creation) =>
          creation.kind === entry.kind &&
          creation.id !== entry.id &&
          creation.exchange.index < exchange.index &&
          wasSeenReady(evidence, creation.id, entry, exchange.index),
      );
      // In the mode documented nothing shows that a server is ready; there nothing is deleted either.
      if (isSucceeded) return [];
      return [
        finding(
          `${entry.kind} ${entry.id} was deleted before a successor was ready`,
          lineOf(exchange),
          `state: ${entry.urn}`,
        ),
      ];
    });
}

/** An answer of the service showed it ready, to the provider, before an exchange. */
function wasSeenReady({ exchanges }: Evidence, id: string, { kind }: StateResource, before: number): boolean {
  return exchanges.slice(0, before).some(({ sent }) => {
    const data = member(sent?.body, "data");
    const shown: readonly unknown[] = Array.isArray(data) ? data : [data];
    return shown.some((item) => member(item, "id") === id && isReady(kind, item));
  });
}

/** A link that keeps its slug cannot have a successor while it lives. */
function neitherLeft(evidence: Evidence): Finding[] {
  return deletionsOfDeclared(evidence)
    .filter(({ entry }) => entry.kind !== "BackupSchedule" && entry.kind !== "VpsAction")
    .flatMap(({ exchange, phase, index, entry }) => {
      const declared = declaredAs(programOf(evidence, phase), entry.urn);
      if (entry.kind === "Link" && declared?.inputs["slug"] !== undefined) return [];
      const known = phase.state.resources.some((now) => {
        const live = now.urn === entry.urn && !now.pendingDelete && aliveIn(phase, now.kind, now.id);
        return live && !isLeaving(live);
      });
      const old = aliveIn(phase, entry.kind, entry.id);
      if (known || (old && !isLeaving(old)) || phase.outcome === "killed") return [];
      return [
        finding(
          `${entry.kind} ${entry.id} was deleted, and there is no successor`,
          lineOf(exchange),
          phaseLine(evidence, index),
        ),
      ];
    });
}
