import { notFound } from "../../core/errors.js";
import type { Call } from "../../core/operation.js";
import type { Rows } from "../../state/rows.js";

/**
 * Returns a database of the tenant.
 * @throws ApiError where it does not exist.
 */
export function findDatabase(call: Call<string, unknown, unknown>, id: string): Rows["databases"] {
  const row = call.tables.databases.owned(call.tenant, id);
  if (!row) throw notFound("database", id);
  return row;
}
