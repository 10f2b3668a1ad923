import type { Evidence } from "./evidence/evidence.js";

/** Prints what happened in one case. */
export function show(evidence: Evidence): void {
  for (const phase of evidence.phases) {
    const typed = JSON.stringify(phase.typed);
    console.log(`== ${phase.name}${phase.attempt ?? ""} ${phase.command}: ${phase.outcome}; typed ${typed}`);
    for (const { method, target, service, sent, fault, at } of evidence.exchanges.slice(...phase.exchanges)) {
      const committed = service?.committed ? " committed" : "";
      console.log(
        `   ${Math.round(at % 1e9)} ${method} ${target} → ${service?.status ?? "–"}${committed} → ${sent?.status ?? "–"} ${fault ?? ""}`,
      );
    }
    for (const step of phase.steps)
      console.log(`   step ${step.op} ${step.outcome} ${step.id ?? ""} ${step.keys ?? ""}`);
    for (const { kind, text } of phase.printed) if (kind !== "status") console.log(`   ${kind}: ${text}`);
    const state = phase.state.resources.map(
      ({ kind, id, initErrors }) => `${kind} ${id}${initErrors.length > 0 ? "!" : ""}`,
    );
    console.log(`   state: ${state.join(", ")}`);
    const live = phase.live.filter(({ tenant }) => tenant !== "another").map(({ id }) => id);
    console.log(`   live: ${live.join(", ")}`);
  }
}
