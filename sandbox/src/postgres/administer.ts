import { adminClient, type PostgresServer } from "./server.js";

export type Query = (
  text: string,
  values?: readonly string[],
) => Promise<{ rowCount: number | null; rows: readonly unknown[] }>;

/** What the sandbox itself does to the server, on a connection of its own. */
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

/** Names are of letters, digits and underscores; the quotes keep reserved words from being taken for keywords. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
