import { aliveIn, creationsIn, isForeign, isLeaving, messagesIn, saysItExpires } from "../facts.js";
import { type Finding, finding, phaseLine, type Rule } from "../violation.js";

/** A destroy leaves nothing of ours in the state or at the service, except what its messages mention. */
export const destroyed: Rule = {
  name: "destroyed",
  judge(evidence) {
    const index = evidence.phases.findLastIndex(({ command }) => command === "destroy");
    const phase = evidence.phases[index];
    if (!phase || phase.outcome === "killed") return [];
    const line = phaseLine(evidence, index);
    const isLastWord = index === evidence.phases.length - 1;
    if (phase.outcome === "failed") return isLastWord ? [finding("the stack cannot be destroyed", line)] : [];
    const left = phase.state.resources.map(
      ({ kind, id }): Finding => finding(`${kind} ${id} is in the state of a destroyed stack`, line),
    );
    const everOurs = new Map(creationsIn(evidence).map(({ kind, id }) => [`${kind} ${id}`, { kind, id }]));
    for (const { state } of evidence.phases)
      for (const { kind, id, external } of state.resources)
        if (!external && kind !== "VpsAction") everOurs.set(`${kind} ${id}`, { kind, id });
    const messages = messagesIn(evidence, 0, index);
    const retained = new Set(
      evidence.programs.flatMap(({ resources }) =>
        resources.filter(({ options }) => options.retainOnDelete).map(({ kind }) => kind),
      ),
    );
    const alive = [...everOurs.values()].filter(({ kind, id }) => {
      const live = aliveIn(phase, kind, id);
      if (!live || isLeaving(live) || isForeign(evidence, kind, id) || retained.has(kind)) return false;
      // A second inbox may stay until it expires.
      if (kind === "Inbox" && saysItExpires(messages)) return false;
      // Without an id, a message can only name the kind.
      const isUnnamed = (text: string) =>
        text.startsWith(`${kind} `) && /\(unnamed:.*left at the service/.test(text);
      return !messages.some((text) => text.includes(id) || isUnnamed(text));
    });
    return [
      ...left,
      ...alive.map(({ kind, id }) =>
        finding(`${kind} ${id} outlives the stack, and no message names it`, line),
      ),
    ];
  },
};
