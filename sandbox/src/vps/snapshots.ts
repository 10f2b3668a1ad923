import { DAY_MS, runOf } from "../databases/backup-times.js";
import { emit } from "../deliveries/deliver.js";
import { randomText } from "../identity.js";
import { timestamp } from "../state/clock.js";
import type { Rows } from "../state/rows.js";
import type { Transaction } from "../state/store.js";
import type { World } from "../world.js";

type Vps = Rows["vps"];

/** Specification: "VPS instance", "daily differential snapshots are captured, rotated every 7 days". */
const daily = { frequency: "daily", retention_days: 7 };

export function newSnapshotId(world: World): string {
  return `snap_${randomText(world.random, 16)}`;
}

/** Assumed: the specification does not show the data of `vps.snapshot.completed`. */
export function snapshotCompleted(
  world: World,
  transaction: Transaction,
  vps: Vps,
  snapshotId: string,
): void {
  emit(world, transaction, vps.tenant, "vps.snapshot.completed", {
    snapshot_id: snapshotId,
    instance_id: vps.id,
    instance_name: vps.name,
    completed_at: timestamp(world.clock.now()),
  });
}

/** When a server at rest has its next daily snapshot. Assumed: at the time of day at which it was created. */
export function nextSnapshot({ backups_enabled, created_at }: Vps, now: number): number | undefined {
  if (!backups_enabled) return undefined;
  const created = Date.parse(created_at);
  // Control can set it to anything.
  const since = Number.isNaN(created) ? 0 : (((now - created) % DAY_MS) + DAY_MS) % DAY_MS;
  return now + DAY_MS - since;
}

/** Arranges the snapshots of a server at rest for which they were just turned on or off. */
export function arrangeSnapshots(vps: Vps, now: number): Vps {
  if (vps.pending !== undefined || vps.backups_enabled === (vps.dueAt !== undefined)) return vps;
  return { ...vps, dueAt: nextSnapshot(vps, now) };
}

/** The time for a daily snapshot has come. Nothing keeps one, so that it is told is all there is of it. */
export function dueSnapshot(world: World, vps: Vps): void {
  if (vps.dueAt === undefined) return;
  const { isMade, next } = runOf(daily, vps.dueAt, world.clock.now(), world.clock.heading);
  const isTaken = isMade && vps.backups_enabled && ["running", "stopped"].includes(vps.status);
  world.store.write(vps.tenant, (transaction) => {
    transaction.put("vps", { ...vps, dueAt: vps.backups_enabled ? next : undefined });
    if (isTaken) snapshotCompleted(world, transaction, vps, newSnapshotId(world));
  });
}
