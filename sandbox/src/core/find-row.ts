import type { Rows } from "../state/rows.js";
import type { Tables } from "../state/store.js";
import type { Table } from "../state/table.js";
import { notFound } from "./errors.js";

/** What error messages call a row. */
const kinds = {
  links: "link",
  databases: "database",
  webhooks: "webhook",
  vps: "VPS instance",
  inboxes: "inbox",
  messages: "message",
} as const;
type Kind = keyof typeof kinds;

/**
 * Returns a row of the calling tenant.
 * @throws ApiError where it does not exist.
 */
export function findRow<K extends Kind>(
  call: { readonly tenant: string; readonly tables: Tables },
  table: K,
  id: string,
): Rows[K] {
  const tables: { readonly [T in Kind]: Pick<Table<Rows[T]>, "owned"> } = call.tables;
  const row = tables[table].owned(call.tenant, id);
  if (!row) throw notFound(kinds[table], id);
  return row;
}
