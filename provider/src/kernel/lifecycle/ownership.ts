import { disagreements } from "../definition/changes.js";
import type { Kind, Naming } from "../definition/kind.js";
import { fieldsOf, valueIn } from "../definition/kind-values.js";
import type { Properties } from "../definition/properties.js";

/*
 * What shows who created a resource at the service. The rules are in docs/decisions/0009-refusals.md.
 */

/** Whether every returned field is as our request would have created it. */
export const matchesRequest = <I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Properties,
  remote: R,
): boolean => disagreements(kind, values, remote).length === 0;

/** Whether a returned field differs in a way that no creation with these inputs explains. */
export function isDifferentResource<I extends object, R extends object>(
  kind: Kind<I, R>,
  values: Properties,
  remote: R,
): boolean {
  const differing = new Set(disagreements(kind, values, remote));
  const isReady = kind.readiness === undefined || kind.readiness.phase(remote) === "ready";
  return fieldsOf(kind)
    .filter(([field, input]) => differing.has(field) && !input.notAtCreation)
    .filter(([, input]) => isReady || input.onChange === "replace")
    .some(([field, input]) => !mayMeanTheSame(values[field], valueIn(input, remote)));
}

/** A service may write a value in its own way: `EU-Central-1` as `eu-central-1`, `postgres` as `postgresql`. */
function mayMeanTheSame(asked: unknown, said: unknown): boolean {
  if (typeof asked !== "string" || typeof said !== "string") return false;
  const [a, b] = [asked, said].map((text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ""));
  return a !== undefined && b !== undefined && (a.startsWith(b) || b.startsWith(a));
}

/** The service's time in a response, in seconds, and our time of its arrival, in milliseconds. */
export interface ServiceTime {
  readonly timestamp: number;
  readonly at: number;
}

/** Whether the resource was created after our request was sent, by the service's clock. */
export function wasCreatedAfter<I, R extends object>(
  naming: Naming<I, R>,
  remote: R,
  theirs: ServiceTime | undefined,
  sentAt: number,
): boolean {
  const born = Date.parse(naming.createdAt?.(remote) ?? "");
  if (Number.isNaN(born) || theirs === undefined) return false;
  // The service's timestamps are whole seconds.
  return born >= theirs.timestamp * 1_000 - (theirs.at - sentAt) - 1_500;
}
