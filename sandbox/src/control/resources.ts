import { hasField, parseRow, type Rows } from "../state/rows.js";
import type { Store } from "../state/store.js";
import type { Table } from "../state/table.js";

/** A live resource, with fields that the API does not show, such as a database's plan. */
export interface LiveResource {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly tenant: string;
  /** In wire spelling, secrets included: this is for tests. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const resourceKinds = {
  Link: "links",
  Database: "databases",
  BackupSchedule: "schedules",
  VpsInstance: "vps",
  Inbox: "inboxes",
  Webhook: "webhooks",
} as const;
export type ResourceKind = keyof typeof resourceKinds;
type ResourceTable = (typeof resourceKinds)[ResourceKind];

const kinds: readonly ResourceKind[] = [
  "Link",
  "Database",
  "BackupSchedule",
  "VpsInstance",
  "Inbox",
  "Webhook",
];

/** Lists live resources of one tenant or of all. */
export function listResources(store: Store, tenant: string | undefined): LiveResource[] {
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
 * Changes fields of a resource directly. Checks only their types, so that a test can create any drift. Setting a
 * status cancels a transition in progress.
 */
export function changeResource(
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

function changeIn<T extends ResourceTable>(
  store: Store,
  table: T,
  id: string,
  fields: Readonly<Record<string, unknown>>,
): Rows[T] | undefined {
  const tables: { readonly [K in ResourceTable]: Pick<Table<Rows[K]>, "get"> } = store.tables;
  const row = tables[table].get(id);
  if (!row) return undefined;
  const wrong = Object.keys(fields).find((name) => fixed.includes(name) || !hasField(table, name));
  if (wrong !== undefined)
    throw new ControlError(400, `"${wrong}" is not a field of "${id}" that can be changed.`);
  const settled =
    "status" in fields ? { pending: undefined, dueAt: undefined, status_reason: undefined } : {};
  const changed = parseRow(table, { ...row, ...settled, ...fields });
  store.write(row.tenant, (transaction) => transaction.put(table, changed));
  return changed;
}

/** A control request that failed: not found (404), invalid (400), or impossible in the present state (409). */
export class ControlError extends Error {
  constructor(
    readonly status: 400 | 404 | 409,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
