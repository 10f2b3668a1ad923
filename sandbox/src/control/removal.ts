import { reasonOf, removeDatabase } from "../databases/lifecycle.js";
import type { World } from "../world.js";
import { OutOfBandError } from "./resources.js";

/** Deletes a resource and what hangs on it, whatever state it is in; says whether there was one. */
export async function removeOutOfBand(world: World, id: string): Promise<boolean> {
  const { tables } = world.store;
  const database = tables.databases.get(id);
  if (database) {
    // In turn with what goes on for it; a request that deleted it meanwhile leaves nothing to do.
    await new Promise<void>((resolve, reject) => {
      const done = () => resolve(removeDatabase(world, id));
      const fail = (error: unknown) => {
        const what = `The database "${id}" was not deleted: ${reasonOf(error, "deleted")}`;
        reject(new OutOfBandError(409, what, { cause: error }));
      };
      world.works.run(id, () => world.databases.drop(tables.databases.get(id) ?? database), done, fail);
    });
    return true;
  }
  for (const table of ["links", "schedules", "vps", "inboxes", "webhooks"] as const) {
    const row = tables[table].get(id);
    if (!row) continue;
    world.store.write(row.tenant, (transaction) => {
      for (const click of tables.clicks.find("link", id)) transaction.remove("clicks", click.id);
      for (const message of tables.messages.find("inbox", id)) transaction.remove("messages", message.id);
      transaction.remove(table, id);
    });
    return true;
  }
  return false;
}
