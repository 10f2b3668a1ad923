import type { EngineEvent } from "@pulumi/pulumi/automation/index.js";
import { kinds } from "../evidence/kinds.js";
import type { Printed } from "../evidence/phase.js";
import type { Step } from "../evidence/stack.js";
import { typeOf } from "../program.js";

/*
 * Converts the engine's event log to evidence.
 */

const STACK = "pulumi:pulumi:Stack";

export const eventsIn = (log: string): EngineEvent[] =>
  log
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line): EngineEvent => JSON.parse(line));

const isOurs = (urn: string): boolean => kinds.some((kind) => urn.includes(`${typeOf(kind)}::`));

export function printedBy({ diagnosticEvent }: EngineEvent): Printed | undefined {
  if (!diagnosticEvent) return undefined;
  const { severity, ephemeral, message, urn = "" } = diagnosticEvent;
  const text = message.replace(/<\{%[^%]*%\}>/g, "").trim();
  // The error before it already says that a step or the command failed.
  if (text === "" || text === "update failed") return undefined;
  const named = isOurs(urn) ? { urn } : {};
  switch (String(severity)) {
    // Only in the log, not on the terminal.
    case "debug":
      return undefined;
    case "error":
      return { kind: "diagnostic", ...named, text };
    case "info#err":
      return { kind: "stderr", ...named, text };
    default:
      return { kind: ephemeral ? "status" : "warning", ...named, text };
  }
}

const ops: ReadonlyMap<string, Step["op"]> = new Map(
  (
    [
      "same",
      "create",
      "update",
      "replace",
      "create-replacement",
      "delete",
      "delete-replaced",
      "read",
      "refresh",
    ] as const
  ).map((op) => [op, op]),
);

/** Returns the steps in the order in which they ended, with the unfinished ones last. */
export function stepsIn(events: readonly EngineEvent[], isDry: boolean, wasKilled: boolean): Step[] {
  const done: Step[] = [];
  const begun = new Map<string, Step>();
  for (const { resourcePreEvent, resOutputsEvent, resOpFailedEvent } of events) {
    const metadata = (resourcePreEvent ?? resOutputsEvent ?? resOpFailedEvent)?.metadata;
    const op = metadata && ops.get(metadata.op);
    if (!metadata || !op || !isOurs(metadata.urn)) continue;
    const { urn } = metadata;
    const id = metadata.new?.id || metadata.old?.id;
    const keys = metadata.diffs ?? [];
    const of = { op, urn, ...(id && { id }), ...(keys.length > 0 && { keys }) };
    const key = `${op} ${urn}`;
    if (resourcePreEvent) begun.set(key, { ...of, outcome: isDry ? "planned" : "killed" });
    else {
      begun.delete(key);
      // The exit of a provider is an error of the step in progress.
      const failed = wasKilled ? "killed" : "failed";
      done.push({ ...of, outcome: resOpFailedEvent ? failed : isDry ? "planned" : "ok" });
    }
  }
  return wasKilled || isDry ? [...done, ...begun.values()] : done;
}

/** Counts the resources of each operation, without the stack itself. */
export function countsIn(events: readonly EngineEvent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { resourcePreEvent, resOutputsEvent } of events) {
    const metadata = resourcePreEvent?.metadata ?? resOutputsEvent?.metadata;
    if (!metadata || metadata.type === STACK || (resOutputsEvent && metadata.op !== "same")) continue;
    if (resourcePreEvent && metadata.op === "same") continue;
    counts[metadata.op] = (counts[metadata.op] ?? 0) + 1;
  }
  return counts;
}
