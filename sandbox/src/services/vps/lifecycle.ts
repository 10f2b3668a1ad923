import type { Context } from "../../core/context.js";
import type { Rows } from "../../state/rows.js";
import { emitSnapshotCompleted, nextSnapshot, runDailySnapshot } from "./snapshots.js";

/** Completes a due transition, or takes the daily snapshot of an idle server. */
export function completeTransition(context: Context, vps: Rows["vps"]): void {
  const { pending } = vps;
  if (pending === undefined) {
    runDailySnapshot(context, vps);
    return;
  }
  context.store.write(vps.tenant, (transaction) => {
    if (vps.status === "deleting") {
      transaction.remove("vps", vps.id);
      return;
    }
    const status_reason = pending.to === "failed" ? pending.reason : undefined;
    if (vps.status === "snapshotting" && vps.snapshot !== undefined && pending.to !== "failed")
      emitSnapshotCompleted(context, transaction, vps, vps.snapshot);
    const neverRan = vps.neverRan && pending.to !== "running";
    transaction.put("vps", {
      ...vps,
      status: pending.to,
      status_reason,
      neverRan,
      snapshot: undefined,
      pending: undefined,
      dueAt: nextSnapshot(vps, context.clock.now()),
    });
  });
}
