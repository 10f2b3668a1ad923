import type { Rows } from "../state/rows.js";
import type { World } from "../world.js";

/** A server's transition has become due. */
export function settleVps(world: World, vps: Rows["vps"]): void {
  const { pending } = vps;
  if (pending === undefined) return;
  world.store.write(vps.tenant, (transaction) => {
    if (vps.status === "deleting") {
      transaction.remove("vps", vps.id);
      return;
    }
    const status_reason = pending.to === "failed" ? pending.reason : undefined;
    const neverRan = vps.neverRan && pending.to !== "running";
    transaction.put("vps", {
      ...vps,
      status: pending.to,
      status_reason,
      neverRan,
      pending: undefined,
      dueAt: undefined,
    });
  });
}
