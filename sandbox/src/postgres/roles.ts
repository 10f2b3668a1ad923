import { DatabaseError } from "pg";
import { exists, type Query, quoteName } from "./administer.js";

/** How a role is called that could not be dropped. */
const PARKED = "gone_";

/** PostgreSQL, "Error Codes": something depends on it; somebody keeps a lock on it. */
const STILL_IN_USE = ["2BP01", "55P03"];

/** Waits no longer for others on the server to let go of something, whoever they are. */
export async function limitLockWait(query: Query, milliseconds = 3_000): Promise<void> {
  await query(`SET lock_timeout = ${milliseconds}`);
}

/** Nobody gets in as this role any more, and whoever is in is out, in whichever database. */
export async function lockOutRole(query: Query, role: string): Promise<void> {
  if (!(await exists(query, "pg_roles", "rolname", role))) return;
  await query(`ALTER ROLE ${quoteName(role)} NOLOGIN PASSWORD NULL`);
  await query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1", [role]);
}

/**
 * Drops a role. Others on the server can hold on to it, by a grant in a database of theirs for example, and it is
 * not for them to keep it: it is put aside under another name, and dropped when nothing holds it any more. What it
 * owns or may do elsewhere is left as it is, since it is in somebody else's database.
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

/** Drops the roles that were put aside, as far as they are not held any more. */
export async function dropParkedRoles(query: Query): Promise<void> {
  await limitLockWait(query, 100);
  const { rows } = await query(`SELECT rolname FROM pg_roles WHERE starts_with(rolname, '${PARKED}')`);
  for (const row of rows) await query(`DROP ROLE ${quoteName(String(Object(row).rolname))}`).catch(() => {});
}
