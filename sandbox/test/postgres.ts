import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client } from "pg";
import { type Sandbox, startSandbox } from "../src/index.js";
import { type ApiClient, apiClientFor } from "./api-client.js";

export const run = promisify(execFile);

/** Starts a sandbox with real PostgreSQL, whose databases are ready as soon as they are created. */
export async function startWithPostgres(): Promise<{ sandbox: Sandbox; call: ApiClient }> {
  const sandbox = await startSandbox({ postgres: "real", provisioning: { databaseMs: 0 } });
  return { sandbox, call: apiClientFor(sandbox) };
}

/** Whether psql is installed. */
export const hasPsql = await run("psql", ["--version"]).then(
  () => true,
  () => false,
);

/** Opens a connection. */
export async function openClient(uri: string): Promise<Client> {
  const client = new Client({ connectionString: uri });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Runs one query on its own connection. Returns the first value, or the message of an error. */
export async function firstValue(uri: string, question: string): Promise<unknown> {
  const client = new Client({ connectionString: uri });
  client.on("error", () => {});
  try {
    await client.connect();
    return Object.values(Object((await client.query(question)).rows[0]))[0];
  } catch (error) {
    return error instanceof Error ? error.message : error;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns a created database's fields. */
export function databaseOf(data: unknown): {
  id: string;
  connection_uri: string;
  pool_uri: string;
  database: string;
  username: string;
} {
  return Object(data);
}

/** Runs statements on their own connection. Returns the rows of the last. */
export async function sql(uri: string, ...statements: string[]): Promise<unknown[]> {
  const client = new Client({ connectionString: uri });
  client.on("error", () => {});
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
