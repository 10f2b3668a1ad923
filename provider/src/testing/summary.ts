import type { EngineEvent } from "@pulumi/pulumi/automation";

/**
 * Counts the resources of one operation by what was done with them, for operations that a test runs through Pulumi's
 * Automation API itself.
 *
 * @param events - All events of the operation, from its option `onEvent`.
 * @returns The engine's counts without the stack itself, which the engine counts as a resource: `{ create: 2, same: 1 }`.
 */
export function summaryOf(events: readonly EngineEvent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  let ofStack: string | undefined;
  for (const { summaryEvent, resourcePreEvent, resOutputsEvent } of events) {
    const metadata = (resOutputsEvent ?? resourcePreEvent)?.metadata;
    if (metadata?.type === "pulumi:pulumi:Stack") ofStack = metadata.op;
    Object.assign(counts, summaryEvent?.resourceChanges);
  }
  return Object.fromEntries(
    Object.entries(counts)
      .map(([op, count]): [string, number] => [op, op === ofStack ? count - 1 : count])
      .filter(([, count]) => count > 0),
  );
}
