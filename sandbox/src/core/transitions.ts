import type { Pending, Rows } from "../state/rows.js";
import type { Context } from "./context.js";
import { ApiError } from "./errors.js";

/** Counts a read of a resource that changes state after some reads. A stale read does not count. */
export function countRead<T extends "databases" | "vps">(
  { isStale, context }: { readonly isStale: boolean; readonly context: Context },
  table: T,
  row: Rows[T],
): void {
  const next = isStale ? undefined : afterRead(row, context.clock.now());
  if (next) context.store.write(row.tenant, (transaction) => transaction.put(table, next));
}

/** Returns the changed row, if the read changes it. */
function afterRead<R extends { readonly pending?: Pending | undefined }>(
  row: R,
  now: number,
): (R & { dueAt?: number }) | undefined {
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
