import { z } from "zod";
import { ApiError } from "../core/errors.js";
import type { ServicesContext } from "../services/context.js";
import { operationsOf } from "../services/operations.js";
import { removeResource } from "./removal.js";
import type { LiveResource } from "./resources.js";
import { ControlError, listResources } from "./resources.js";

/** Resources to create, in this order. */
export const seedSchema = z
  .array(
    z.strictObject({
      kind: z.enum(["Link", "Database", "VpsInstance", "Inbox", "Webhook"]),
      tenant: z
        .string()
        .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/)
        .default("local"),
      /** The body of the request that creates the resource. */
      fields: z.record(z.string(), z.unknown()),
    }),
  )
  .max(10_000);
export type Seed = z.input<typeof seedSchema>;

const creations = {
  Link: "createLink",
  Database: "createDatabase",
  VpsInstance: "createVps",
  Inbox: "createInbox",
  Webhook: "createWebhook",
} as const;

const identified = z.object({ id: z.string().optional(), inbox_id: z.string().optional() });

/** Creates all resources, ready at once; if one is rejected, creates none. */
export async function createSeed(
  context: ServicesContext,
  wishes: z.output<typeof seedSchema>,
): Promise<LiveResource[]> {
  const made = new Set<string>();
  try {
    for (const [index, wish] of wishes.entries()) made.add(await create(context, wish, index));
  } catch (error) {
    for (const id of made) await removeResource(context, id);
    throw error;
  }
  return listResources(context.store, undefined).filter(({ id }) => made.has(id));
}

async function create(
  context: ServicesContext,
  wish: z.output<typeof seedSchema>[number],
  index: number,
): Promise<string> {
  const operation = operationsOf("conventional").find(({ id }) => id === creations[wish.kind]);
  if (!operation) throw new Error(`${wish.kind} has no creation`);
  try {
    const { data } = await operation.run({
      tenant: wish.tenant,
      params: {},
      query: {},
      body: wish.fields,
      context,
      tables: context.store.tables,
      isStale: false,
      write: (body) => context.store.write(wish.tenant, body),
    });
    const { id, inbox_id } = identified.parse(data);
    await completeTransition(context, id ?? inbox_id ?? "");
    return id ?? inbox_id ?? "";
  } catch (error) {
    if (error instanceof ApiError)
      throw new ControlError(400, `Resource ${index + 1} (${wish.kind}): ${error.message}`);
    throw error;
  }
}

async function completeTransition(context: ServicesContext, id: string): Promise<void> {
  const { tables } = context.store;
  const dueAt = context.clock.now();
  const [database, vps] = [tables.databases.get(id), tables.vps.get(id)];
  if (database?.pending)
    context.store.write(database.tenant, (to) => to.put("databases", { ...database, dueAt }));
  if (vps?.pending) context.store.write(vps.tenant, (to) => to.put("vps", { ...vps, dueAt }));
  context.runDue();
  await context.background.waitFor(id);
}
