import type { ServicesContext } from "../services/context.js";
import { reasonOf, removeDatabase } from "../services/databases/lifecycle.js";
import { ControlError } from "./resources.js";

/** Deletes a resource in any state, with everything that belongs to it. Returns whether it existed. */
export async function removeResource(context: ServicesContext, id: string): Promise<boolean> {
  const { tables } = context.store;
  const database = tables.databases.get(id);
  if (database) {
    // Queued behind running work on the database. If a request deletes it first, nothing remains to do.
    await new Promise<void>((resolve, reject) => {
      const done = () => resolve(removeDatabase(context, id));
      const fail = (error: unknown) => {
        const what = `The database "${id}" was not deleted: ${reasonOf(error, "deleted")}`;
        reject(new ControlError(409, what, { cause: error }));
      };
      context.background.run(
        id,
        () => context.databaseEngine.drop(tables.databases.get(id) ?? database),
        done,
        fail,
      );
    });
    return true;
  }
  for (const table of ["links", "schedules", "vps", "inboxes", "webhooks"] as const) {
    const row = tables[table].get(id);
    if (!row) continue;
    context.store.write(row.tenant, (transaction) => {
      for (const click of tables.clicks.find("link", id)) transaction.remove("clicks", click.id);
      for (const message of tables.messages.find("inbox", id)) transaction.remove("messages", message.id);
      transaction.remove(table, id);
    });
    return true;
  }
  return false;
}
