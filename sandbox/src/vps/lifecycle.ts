import { emit } from "../deliveries/deliver.js";
import { timestamp } from "../state/clock.js";
import type { Rows } from "../state/rows.js";
import type { World } from "../world.js";

/**
 * A server's transition has become due. The data of `vps.snapshot.completed` is assumed; the specification does not
 * show it.
 */
export function settleVps(world: World, vps: Rows["vps"]): void {
  const { pending } = vps;
  if (pending === undefined) return;
  world.store.write(vps.tenant, (transaction) => {
    if (vps.status === "deleting") {
      transaction.remove("vps", vps.id);
      return;
    }
    const status_reason = pending.to === "failed" ? pending.reason : undefined;
    if (vps.status === "snapshotting" && vps.snapshot !== undefined && pending.to !== "failed") {
      emit(world, transaction, vps.tenant, "vps.snapshot.completed", {
        snapshot_id: vps.snapshot,
        instance_id: vps.id,
        instance_name: vps.name,
        completed_at: timestamp(world.clock.now()),
      });
    }
    const neverRan = vps.neverRan && pending.to !== "running";
    transaction.put("vps", {
      ...vps,
      status: pending.to,
      status_reason,
      neverRan,
      snapshot: undefined,
      pending: undefined,
      dueAt: undefined,
    });
  });
}
