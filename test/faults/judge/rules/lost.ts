import type { Evidence } from "../../evidence/evidence.js";
import type { KindName } from "../../evidence/kinds.js";
import type { Phase } from "../../evidence/phase.js";
import {
  aliveIn,
  type Creation,
  creationsIn,
  entryIn,
  isForeign,
  isLeaving,
  isNamed,
  isPending,
  isUnknowable,
  member,
  messagesIn,
  saysItExpires,
} from "../facts.js";
import { type Finding, finding, lineOf, phaseLine, type Rule } from "../violation.js";

/** Every live resource of ours is in the state, unless a failed run mentioned it. */
export const lost: Rule = {
  name: "lost",
  judge: (evidence) => [...lostCreations(evidence), ...lostEntries(evidence)],
};

/** Finds each lost creation once, at the first phase that lost it. */
function lostCreations(evidence: Evidence): Finding[] {
  return creationsIn(evidence).flatMap((creation) => {
    const at = evidence.phases.findIndex(
      (phase, index) =>
        index >= creation.phase &&
        isDue(evidence, creation, index) &&
        isOrphan(phase, creation.kind, creation.id) &&
        (!isNamed(evidence, creation, index) || wasDropped(evidence, creation, index)),
    );
    if (at < 0 || isExcused(evidence, creation) || mayExpire(evidence, creation, at)) return [];
    const { kind, id, exchange } = creation;
    return [
      finding(
        `${kind} ${id} was created and is alive; neither the state nor a message contains it`,
        lineOf(exchange),
        phaseLine(evidence, at),
      ),
    ];
  });
}

/** If the response contained the id, a message is not enough: the id must be or have been in the state. */
const wasDropped = ({ phases }: Evidence, creation: Creation, index: number): boolean =>
  wasAnswered(creation) &&
  !phases.slice(0, index).some((phase) => entryIn(phase, creation.kind, creation.id) !== undefined);

function wasAnswered({ kind, id, exchange: { sent } }: Creation): boolean {
  if (sent === undefined || sent.cut || sent.status < 200 || sent.status > 299) return false;
  if (kind === "BackupSchedule" || member(sent.body, "status") !== "success") return false;
  return member(sent.body, "data", kind === "Inbox" ? "inbox_id" : "id") === id;
}

/** A killed process prints nothing. The commands after it must find the resource before the preview. */
function isDue({ phases }: Evidence, creation: Creation, index: number): boolean {
  if (phases[creation.phase]?.outcome !== "killed") return phases[index]?.outcome !== "killed";
  const name = phases[index]?.name;
  const isLast = index === phases.length - 1;
  return name === "preview" || name === "destroy" || name === "destroy-refresh" || isLast;
}

/** Whether only the owner can find it; the engine warns of the interrupted creation. */
function isExcused(evidence: Evidence, { kind, phase }: Creation): boolean {
  const made = evidence.phases[phase];
  return made?.outcome === "killed" && isUnknowable(evidence, kind) && isPending(made, kind);
}

/** The provider creates a lost inbox again, because it is free and expires; a message must say so. */
const mayExpire = (evidence: Evidence, creation: Creation, index: number): boolean =>
  creation.kind === "Inbox" &&
  !wasAnswered(creation) &&
  saysItExpires(messagesIn(evidence, creation.phase, index));

function isOrphan(phase: Phase, kind: KindName, id: string): boolean {
  const live = aliveIn(phase, kind, id);
  return live !== undefined && !isLeaving(live) && entryIn(phase, kind, id) === undefined;
}

/** Finds what the state had and lost, if it still exists and no message says that it was left. */
function lostEntries(evidence: Evidence): Finding[] {
  const created = new Set(creationsIn(evidence).map(({ kind, id }) => `${kind} ${id}`));
  const reported = new Set<string>();
  return evidence.phases.flatMap((phase, index) => {
    const before = evidence.phases[index - 1]?.state.resources ?? [];
    return before.flatMap(({ kind, id, urn, external }) => {
      const key = `${kind} ${id}`;
      if (external || isForeign(evidence, kind, id) || reported.has(key)) return [];
      if (!isOrphan(phase, kind, id)) return [];
      const isKept = evidence.programs
        .flatMap(({ resources }) => resources)
        .some((declared) => declared.urn === urn && declared.options.retainOnDelete);
      const isTyped = phase.typed.some(
        (fix) => fix.do === "state-delete" && (fix.urn === urn || fix.withDependents),
      );
      // Creations in this evidence are judged above, with the messages since then.
      if (isKept || isTyped || messagesIn(evidence, index, index).some((text) => text.includes(id)))
        return [];
      reported.add(key);
      const what = created.has(key) ? "was created by us" : "was taken over by us";
      return [
        finding(
          `${kind} ${id} ${what} and is alive, and phase ${index} took it out of the state without naming it`,
          phaseLine(evidence, index),
        ),
      ];
    });
  });
}
