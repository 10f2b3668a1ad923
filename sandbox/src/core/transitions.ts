import type { Pending } from "../state/rows.js";
import { ApiError } from "./errors.js";

interface InTransition {
  readonly pending?: Pending | undefined;
}

/** The same row, one read further on its way: some resources settle after so many reads. */
export function countRead<R extends InTransition>(row: R, now: number): (R & { dueAt?: number }) | undefined {
  const reads = row.pending?.reads;
  if (row.pending === undefined || reads === undefined || reads < 1) return undefined;
  const pending = { ...row.pending, reads: reads - 1 };
  return reads === 1 ? { ...row, pending, dueAt: now } : { ...row, pending };
}

/** Refuses what cannot be done to a resource in its present state. */
export function requireStatus(
  kind: string,
  row: { id: string; status: string },
  allowed: readonly string[],
  what: string,
): void {
  if (allowed.includes(row.status)) return;
  throw new ApiError(
    409,
    "CONFLICT",
    `The ${kind} "${row.id}" is ${row.status}; ${what} needs it to be ${allowed.join(" or ")}.`,
  );
}
