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

/** No live resource that the state does not know, unless a run stopped and named it. */
export const lost: Rule = {
  name: "lost",
  judge: (evidence) => [...lostCreations(evidence), ...lostEntries(evidence)],
};

/** Each lost creation once, at the first phase that lost it. */
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
        `${kind} ${id} was created and is alive; neither the state nor a message knows of it`,
        lineOf(exchange),
        phaseLine(evidence, at),
      ),
    ];
  });
}

/** The answer gave the id, so a message is not enough: the state has to have it, or to have had it before. */
const wasDropped = ({ phases }: Evidence, creation: Creation, index: number): boolean =>
  wasAnswered(creation) &&
  !phases.slice(0, index).some((phase) => entryIn(phase, creation.kind, creation.id) !== undefined);

function wasAnswered({ kind, id, exchange: { sent } }: Creation): boolean {
  if (sent === undefined || sent.cut || sent.status < 200 || sent.status > 299) return false;
  if (kind === "BackupSchedule" || member(sent.body, "status") !== "success") return false;
  return member(sent.body, "data", kind === "Inbox" ? "inbox_id" : "id") === id;
}

/** A killed process says nothing; whatever runs after it has until the preview to find what it left. */
function isDue({ phases }: Evidence, creation: Creation, index: number): boolean {
  if (phases[creation.phase]?.outcome !== "killed") return phases[index]?.outcome !== "killed";
  const name = phases[index]?.name;
  const isLast = index === phases.length - 1;
  return name === "preview" || name === "destroy" || name === "destroy-refresh" || isLast;
}

/** Nothing can find it but its owner, and the engine tells the owner that a creation was interrupted. */
function isExcused(evidence: Evidence, { kind, phase }: Creation): boolean {
  const made = evidence.phases[phase];
  return made?.outcome === "killed" && isUnknowable(evidence, kind) && isPending(made, kind);
}

/** A lost inbox is created again, because it is free and expires by itself; the message has to say so. */
const mayExpire = (evidence: Evidence, creation: Creation, index: number): boolean =>
  creation.kind === "Inbox" &&
  !wasAnswered(creation) &&
  saysItExpires(messagesIn(evidence, creation.phase, index));

function isOrphan(phase: Phase, kind: KindName, id: string): boolean {
  const live = aliveIn(phase, kind, id);
  return live !== undefined && !isLeaving(live) && entryIn(phase, kind, id) === undefined;
}

/** What the state once had is in it, or is gone, or a message says that it was left. */
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
      // What this evidence saw created is judged above, with the messages since its creation.
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
