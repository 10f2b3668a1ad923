import type { ServicesContext } from "./context.js";
import { runOrExpireBackup, runSchedule } from "./databases/backups.js";
import { runTransition } from "./databases/lifecycle.js";
import { completeTransition } from "./vps/lifecycle.js";
import { attemptDelivery } from "./webhooks/deliveries.js";

/** Runs everything due at `now`, in order. An error does not stop the rest. */
export function runDue(context: ServicesContext, now: number): void {
  const { agenda, tables } = context.store;
  for (let next = agenda.next(); next !== undefined && next.at <= now; next = agenda.next()) {
    agenda.take();
    const { table, id } = next.what;
    // The appointment was moved, or its row deleted.
    if (tables[table].get(id)?.dueAt !== next.at) continue;
    try {
      handleDue(context, table, id);
    } catch (error) {
      context.report(error);
    }
  }
}

function handleDue(context: ServicesContext, table: string, id: string): void {
  const { tables } = context.store;
  if (table === "databases") {
    const row = tables.databases.get(id);
    if (row) runTransition(context, row);
  } else if (table === "schedules") {
    const row = tables.schedules.get(id);
    if (row) runSchedule(context, row);
  } else if (table === "backups") {
    const row = tables.backups.get(id);
    if (row) runOrExpireBackup(context, row);
  } else if (table === "vps") {
    const row = tables.vps.get(id);
    if (row) completeTransition(context, row);
  } else if (table === "deliveries") {
    const row = tables.deliveries.get(id);
    if (row?.status === "pending") attemptDelivery(context, row);
  } else if (table === "inboxes") {
    const row = tables.inboxes.get(id);
    if (row) expireInbox(context, row.tenant, id);
  }
}

/** Deletes an expired inbox and its messages. */
function expireInbox(context: ServicesContext, tenant: string, id: string): void {
  context.store.write(tenant, (transaction) => {
    for (const message of context.store.tables.messages.find("inbox", id))
      transaction.remove("messages", message.id);
    transaction.remove("inboxes", id);
  });
}
