import type { Pending } from "../state/rows.js";
import { ApiError } from "./errors.js";

interface InTransition {
  readonly pending?: Pending | undefined;
}

/** Counts a read of a resource that changes state after some reads. Returns the changed row, if any. */
export function countRead<R extends InTransition>(row: R, now: number): (R & { dueAt?: number }) | undefined {
  const reads = row.pending?.reads;
  if (row.pending === undefined || reads === undefined || reads < 1) return undefined;
  const pending = { ...row.pending, reads: reads - 1 };
  return reads === 1 ? { ...row, pending, dueAt: now } : { ...row, pending };
}

/** Rejects an action that the resource's status does not allow. */
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
    `The ${kind} "${row.id}" is ${row.status}; ${what} requires the status ${allowed.join(" or ")}.`,
  );
}
