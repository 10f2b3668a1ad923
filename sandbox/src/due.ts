import { dueBackup, dueSchedule } from "./databases/backups.js";
import { settleDatabase } from "./databases/lifecycle.js";
import { attempt } from "./deliveries/deliver.js";
import { settleVps } from "./vps/lifecycle.js";
import type { World } from "./world.js";

/** Lets everything happen that is due at `now`, in its order. What cannot happen keeps nothing else from it. */
export function runDue(world: World, now: number): void {
  const { agenda, tables } = world.store;
  for (let next = agenda.next(); next !== undefined && next.at <= now; next = agenda.next()) {
    agenda.take();
    const { table, id } = next.what;
    // An appointment that was put off, or whose row is gone, is void.
    if (tables[table].get(id)?.dueAt !== next.at) continue;
    try {
      happen(world, table, id);
    } catch (error) {
      world.report(error);
    }
  }
}

function happen(world: World, table: string, id: string): void {
  const { tables } = world.store;
  if (table === "databases") {
    const row = tables.databases.get(id);
    if (row) settleDatabase(world, row);
  } else if (table === "schedules") {
    const row = tables.schedules.get(id);
    if (row) dueSchedule(world, row);
  } else if (table === "backups") {
    const row = tables.backups.get(id);
    if (row) dueBackup(world, row);
  } else if (table === "vps") {
    const row = tables.vps.get(id);
    if (row) settleVps(world, row);
  } else if (table === "deliveries") {
    const row = tables.deliveries.get(id);
    if (row?.status === "pending") attempt(world, row);
  } else if (table === "inboxes") {
    const row = tables.inboxes.get(id);
    if (row) expireInbox(world, row.tenant, id);
  }
}

/** An inbox past its time is gone with all its mail. */
function expireInbox(world: World, tenant: string, id: string): void {
  world.store.write(tenant, (transaction) => {
    for (const message of world.store.tables.messages.find("inbox", id))
      transaction.remove("messages", message.id);
    transaction.remove("inboxes", id);
  });
}
