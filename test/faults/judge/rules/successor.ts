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

/** A replacement always leaves one of the two, and data is deleted only after the replacement is ready. */
export const successor: Rule = {
  name: "successor",
  judge: (evidence) => [...deletedTooEarly(evidence), ...neitherLeft(evidence)],
};

interface Deletion {
  readonly exchange: Exchange;
  readonly phase: Phase;
  readonly index: number;
  /** The entry of the state before the phase. */
  readonly entry: StateResource;
}

/** Returns the deletions of resources that the program still declares. */
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
      // The mode `documented` cannot show that a server is ready, and it deletes nothing.
      if (isSucceeded) return [];
      return [
        finding(
          `${entry.kind} ${entry.id} was deleted before its replacement was ready`,
          lineOf(exchange),
          `state: ${entry.urn}`,
        ),
      ];
    });
}

/** Whether the provider read that it is ready before an exchange. */
function wasSeenReady({ exchanges }: Evidence, id: string, { kind }: StateResource, before: number): boolean {
  return exchanges.slice(0, before).some(({ sent }) => {
    const data = member(sent?.body, "data");
    const shown: readonly unknown[] = Array.isArray(data) ? data : [data];
    return shown.some((item) => member(item, "id") === id && isReady(kind, item));
  });
}

/** Finds replacements that left neither. A link that keeps its slug can only be replaced after its deletion. */
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
          `${entry.kind} ${entry.id} was deleted, and there is no replacement`,
          lineOf(exchange),
          phaseLine(evidence, index),
        ),
      ];
    });
}
