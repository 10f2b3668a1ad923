import type { Context } from "../../core/context.js";
import { randomText } from "../../core/ids.js";
import { DAY_MS, planRun } from "../../core/recurrence.js";
import { timestamp } from "../../state/clock.js";
import type { Rows } from "../../state/rows.js";
import type { Transaction } from "../../state/store.js";
import { emitEvent } from "../webhooks/deliveries.js";

type Vps = Rows["vps"];

/** Specification: "VPS instance", "daily differential snapshots are captured, rotated every 7 days". */
const daily = { frequency: "daily", retention_days: 7 };

export function newSnapshotId(context: Context): string {
  return `snap_${randomText(context.random, 16)}`;
}

/** Assumed: the specification does not show the data of `vps.snapshot.completed`. */
export function emitSnapshotCompleted(
  context: Context,
  transaction: Transaction,
  vps: Vps,
  snapshotId: string,
): void {
  emitEvent(context, transaction, vps.tenant, "vps.snapshot.completed", {
    snapshot_id: snapshotId,
    instance_id: vps.id,
    instance_name: vps.name,
    completed_at: timestamp(context.clock.now()),
  });
}

/** Returns when an idle server has its next daily snapshot. Assumed: at the time of day of its creation. */
export function nextSnapshot({ backups_enabled, created_at }: Vps, now: number): number | undefined {
  if (!backups_enabled) return undefined;
  const created = Date.parse(created_at);
  // Control can set any text.
  const since = Number.isNaN(created) ? 0 : (((now - created) % DAY_MS) + DAY_MS) % DAY_MS;
  return now + DAY_MS - since;
}

/** Schedules or cancels daily snapshots after `backups_enabled` has changed. */
export function scheduleSnapshots(vps: Vps, now: number): Vps {
  if (vps.pending !== undefined || vps.backups_enabled === (vps.dueAt !== undefined)) return vps;
  return { ...vps, dueAt: nextSnapshot(vps, now) };
}

/** Takes a daily snapshot: it sends the event, but stores no snapshot. */
export function runDailySnapshot(context: Context, vps: Vps): void {
  if (vps.dueAt === undefined) return;
  const { isDue, next } = planRun(daily, vps.dueAt, context.clock.now(), context.clock.destination);
  const isTaken = isDue && vps.backups_enabled && ["running", "stopped"].includes(vps.status);
  context.store.write(vps.tenant, (transaction) => {
    transaction.put("vps", { ...vps, dueAt: vps.backups_enabled ? next : undefined });
    if (isTaken) emitSnapshotCompleted(context, transaction, vps, newSnapshotId(context));
  });
}
