import { DatabaseError } from "pg";
import { exists, type Query, quoteName } from "./administer.js";

/** Prefix of roles that could not be dropped. */
const PARKED = "gone_";

/** PostgreSQL, "Error Codes": objects depend on it; a lock is held. */
const STILL_IN_USE = ["2BP01", "55P03"];

/** Limits how long queries wait for locks of other connections. */
export async function limitLockWait(query: Query, milliseconds = 3_000): Promise<void> {
  await query(`SET lock_timeout = ${milliseconds}`);
}

/** Forbids logins of a role and closes its connections to all databases. */
export async function lockOutRole(query: Query, role: string): Promise<void> {
  if (!(await exists(query, "pg_roles", "rolname", role))) return;
  await query(`ALTER ROLE ${quoteName(role)} NOLOGIN PASSWORD NULL`);
  await query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", [role]);
}

/**
 * Drops a role. Objects in other tenants' databases, such as grants, can prevent that; the role is then renamed and
 * dropped later. Those objects are left unchanged, because they belong to other tenants.
 */
export async function dropRole(query: Query, role: string): Promise<void> {
  if (!(await exists(query, "pg_roles", "rolname", role))) return;
  await lockOutRole(query, role);
  await limitLockWait(query);
  try {
    await query(`DROP ROLE ${quoteName(role)}`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || !STILL_IN_USE.includes(error.code ?? "")) throw error;
    await query(`ALTER ROLE ${quoteName(role)} RENAME TO ${quoteName(PARKED + role)}`);
  }
}

/** Drops the renamed roles that are no longer in use. */
export async function dropParkedRoles(query: Query): Promise<void> {
  await limitLockWait(query, 100);
  const { rows } = await query(`SELECT rolname FROM pg_roles WHERE starts_with(rolname, '${PARKED}')`);
  for (const row of rows) await query(`DROP ROLE ${quoteName(String(Object(row).rolname))}`).catch(() => {});
}
