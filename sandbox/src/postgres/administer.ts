import { adminClient, type PostgresServer } from "./server.js";

export type Query = (
  text: string,
  values?: readonly string[],
) => Promise<{ rowCount: number | null; rows: readonly unknown[] }>;

/** Runs administrative queries on a connection of their own. */
export async function administer<R>(server: PostgresServer, body: (query: Query) => Promise<R>): Promise<R> {
  const client = adminClient(server.socketFolder, server.port, "postgres");
  await client.connect();
  try {
    return await body((text, values) => client.query(text, values ? [...values] : undefined));
  } finally {
    await client.end();
  }
}

export async function exists(
  query: Query,
  catalogue: string,
  column: string,
  name: string,
): Promise<boolean> {
  return ((await query(`SELECT 1 FROM ${catalogue} WHERE ${column} = $1`, [name])).rowCount ?? 0) > 0;
}

/** Quotes a name. Names consist of letters, digits and underscores, but may be reserved words. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
