import { z } from "zod";
import { rowSchemas } from "../state/rows.js";
import type { Store, Transaction } from "../state/store.js";

/** A resource as it stands, with what the API does not show, such as a database's plan. */
export interface LiveResource {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly tenant: string;
  /** In the wire's spelling; secrets included, since this is for tests. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export const resourceKinds = {
  Link: "links",
  Database: "databases",
  BackupSchedule: "schedules",
  VpsInstance: "vps",
  Inbox: "inboxes",
  Webhook: "webhooks",
} as const;
export type ResourceKind = keyof typeof resourceKinds;

const kinds: readonly ResourceKind[] = [
  "Link",
  "Database",
  "BackupSchedule",
  "VpsInstance",
  "Inbox",
  "Webhook",
];

/** Everything alive, of one tenant or of all. */
export function resourcesOf(store: Store, tenant: string | undefined): LiveResource[] {
  return kinds.flatMap((kind) =>
    [...store.tables[resourceKinds[kind]].all()]
      .filter((row) => tenant === undefined || row.tenant === tenant)
      .map((row) => live(kind, row)),
  );
}

function live(kind: ResourceKind, row: { id: string; tenant: string }): LiveResource {
  const { id, tenant, seq: _seq, dueAt: _dueAt, ...fields }: Record<string, unknown> = { ...row };
  return { kind, id: row.id, tenant: row.tenant, fields };
}

/**
 * Changes fields of a resource behind the API's back: nothing is validated but the type, so that any drift can be
 * made. A status that is set this way is final: what was under way is forgotten.
 */
export function changeOutOfBand(
  store: Store,
  id: string,
  fields: Readonly<Record<string, unknown>>,
): LiveResource | undefined {
  for (const kind of kinds) {
    const table = resourceKinds[kind];
    const changed = changeIn(store, table, id, fields);
    if (changed) return live(kind, changed);
  }
  return undefined;
}

const fixed = ["id", "tenant", "seq", "pending", "dueAt"];

function changeIn(
  store: Store,
  table: (typeof resourceKinds)[ResourceKind],
  id: string,
  fields: Readonly<Record<string, unknown>>,
): { id: string; tenant: string } | undefined {
  const row = store.tables[table].get(id);
  if (!row) return undefined;
  const wrong = Object.keys(fields).find(
    (name) => fixed.includes(name) || !(name in rowSchemas[table].shape),
  );
  if (wrong !== undefined)
    throw new OutOfBandError(`"${wrong}" is not a field of "${id}" that can be changed.`);
  const settled =
    "status" in fields ? { pending: undefined, dueAt: undefined, status_reason: undefined } : {};
  const wanted = { ...row, ...settled, ...fields };
  return store.write(row.tenant, (transaction) => putParsed(transaction, table, wanted));
}

function putParsed(
  transaction: Transaction,
  table: (typeof resourceKinds)[ResourceKind],
  wanted: unknown,
): { id: string; tenant: string } {
  const put = {
    links: () => parsed(rowSchemas.links, wanted, (row) => transaction.put("links", row)),
    databases: () => parsed(rowSchemas.databases, wanted, (row) => transaction.put("databases", row)),
    schedules: () => parsed(rowSchemas.schedules, wanted, (row) => transaction.put("schedules", row)),
    vps: () => parsed(rowSchemas.vps, wanted, (row) => transaction.put("vps", row)),
    inboxes: () => parsed(rowSchemas.inboxes, wanted, (row) => transaction.put("inboxes", row)),
    webhooks: () => parsed(rowSchemas.webhooks, wanted, (row) => transaction.put("webhooks", row)),
  };
  return put[table]();
}

function parsed<R extends { id: string; tenant: string }>(
  schema: z.ZodType<R>,
  wanted: unknown,
  put: (row: R) => void,
): R {
  const result = schema.safeParse(wanted);
  if (!result.success) throw new OutOfBandError(z.prettifyError(result.error));
  put(result.data);
  return result.data;
}

export class OutOfBandError extends Error {}
