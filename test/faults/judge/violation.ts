import type { Evidence } from "../evidence/evidence.js";
import type { Exchange } from "../evidence/service.js";

/** A promise that a run broke. */
export interface Violation {
  /** The name of the rule. */
  readonly rule: string;
  readonly text: string;
  /** The entries of the evidence that show it, one per line. */
  readonly entries: readonly string[];
}

/** One promise, judged from the evidence alone. */
export interface Rule {
  readonly name: string;
  judge(evidence: Evidence): Finding[];
}

/** A violation before its rule is known. */
export interface Finding {
  readonly text: string;
  readonly entries: readonly string[];
}

export const finding = (text: string, ...entries: string[]): Finding => ({ text, entries });

/** Formats an exchange as one line: the request, the service's response, and what the provider received. */
export function lineOf(exchange: Exchange): string {
  const { index, method, target, service, sent, fault } = exchange;
  const did = service === undefined ? "not received" : `${service.status}${service.committed ? " done" : ""}`;
  const got = sent === undefined ? "nothing" : `${sent.status}${sent.cut ? " cut" : ""}`;
  return `exchange ${index}: ${method} ${target}; service: ${did}; provider got: ${got}${fault ? ` (${fault})` : ""}`;
}

export function phaseLine(evidence: Evidence, index: number): string {
  const phase = evidence.phases[index];
  return `phase ${index}: ${phase?.name} (${phase?.command}, ${phase?.outcome})`;
}
