import type { Evidence } from "../../evidence/evidence.js";
import type { Exchange } from "../../evidence/service.js";
import {
  aliveIn,
  type Creation,
  creationsIn,
  entryIn,
  isLeaving,
  isPending,
  isUnknowable,
  messagesIn,
  phaseOf,
  programOf,
  saysItExpires,
} from "../facts.js";
import { type Finding, finding, lineOf, phaseLine, type Rule } from "../violation.js";
import { identityIn } from "../wire.js";

/** There are never two live resources for one declaration. */
export const doubled: Rule = {
  name: "doubled",
  judge: (evidence) => [...sameIdentity(evidence), ...moreThanDeclared(evidence)],
};

/** Finds two of the same name, if the first was not in the state. */
function sameIdentity(evidence: Evidence): Finding[] {
  const creations = creationsIn(evidence).filter(({ kind }) => kind !== "BackupSchedule");
  return creations.flatMap((second, at) =>
    creations
      .slice(0, at)
      .filter((first) => isDouble(evidence, first, second))
      .map((first) =>
        finding(
          `${second.kind} ${second.id} was created while ${first.id} of the same name was alive`,
          lineOf(first.exchange),
          lineOf(second.exchange),
        ),
      ),
  );
}

function isDouble(evidence: Evidence, first: Creation, second: Creation): boolean {
  const identity = identityIn(second.kind, second.exchange.requestBody);
  if (first.kind !== second.kind || first.id === second.id || identity === undefined) return false;
  if (identityIn(first.kind, first.exchange.requestBody) !== identity) return false;
  if (isDeletedBetween(evidence, first, second.exchange) || isExcused(evidence, first)) return false;
  if (kindsThatExpire.has(first.kind) && saysItExpires(messagesIn(evidence, first.phase, second.phase)))
    return false;
  const before = evidence.phases[second.phase - 1];
  const wasKnown = before !== undefined && entryIn(before, first.kind, first.id) !== undefined;
  return (
    !wasKnown && first.exchange.index < second.exchange.index && !areDeclared(evidence, second, identity)
  );
}

const kindsThatExpire: ReadonlySet<string> = new Set(["Inbox"]);

/** Whether we deleted it, or its owner did before the second one's phase. */
function isDeletedBetween(
  evidence: Evidence,
  { kind, exchange, id, phase }: Creation,
  until: Exchange,
): boolean {
  const last = evidence.phases[phaseOf(evidence, until) - 1];
  if (last && evidence.phases.indexOf(last) >= phase && !aliveIn(last, kind, id)) return true;
  return evidence.exchanges
    .slice(exchange.index, until.index)
    .some(({ method, target, service }) => method === "DELETE" && target.includes(id) && service?.committed);
}

/** Whether the program itself declares two of the name. */
function areDeclared(evidence: Evidence, { kind, phase }: Creation, identity: string): boolean {
  const made = evidence.phases[phase];
  const resources = (made && programOf(evidence, made)?.resources) ?? [];
  const same = resources.filter((declared) => {
    const { name, slug, prefix, url } = declared.inputs;
    return (
      declared.kind === kind && [name, slug, prefix, url].some((given) => identity.endsWith(String(given)))
    );
  });
  return same.length > 1;
}

/** Whether only the owner can find the first one; the engine warns of the interrupted creation. */
function isExcused(evidence: Evidence, { kind, phase }: Creation): boolean {
  const made = evidence.phases[phase];
  return made?.outcome === "killed" && isUnknowable(evidence, kind) && isPending(made, kind);
}

/** Finds more resources than the program declares, except those that messages report as left. */
function moreThanDeclared(evidence: Evidence): Finding[] {
  const index = evidence.phases.findLastIndex(({ name }) => name === "preview");
  const phase = evidence.phases[index];
  const program = phase && programOf(evidence, phase);
  if (!phase || !program) return [];
  const messages = messagesIn(evidence, 0, index);
  const alive = creationsIn(evidence).filter((creation) => {
    const live = aliveIn(phase, creation.kind, creation.id);
    if (!live || isLeaving(live) || isExcused(evidence, creation)) return false;
    if (kindsThatExpire.has(creation.kind) && saysItExpires(messages)) return false;
    return creation.kind !== "BackupSchedule" && !isLeft(creation, messages);
  });
  return [...new Set(alive.map(({ kind }) => kind))].flatMap((kind) => {
    const ours = alive.filter((creation) => creation.kind === kind);
    const declared = program.resources.filter((resource) => resource.kind === kind);
    const leaving = phase.state.resources.filter((entry) => entry.kind === kind && entry.pendingDelete);
    const most = declared.length + leaving.length;
    if (new Set(ours.map(({ id }) => id)).size <= most) return [];
    return [
      finding(
        `${ours.length} of kind ${kind} are alive where the program declares ${declared.length}: ${ours.map(({ id }) => id).join(", ")}`,
        ...ours.map(({ exchange }) => lineOf(exchange)),
        phaseLine(evidence, index),
      ),
    ];
  });
}

/** Whether a message says that it stays or expires. */
const isLeft = ({ id }: Creation, messages: readonly string[]): boolean =>
  messages.some(
    (text) => text.includes(id) && /left at the service|expires by itself|not deleted/.test(text),
  );
