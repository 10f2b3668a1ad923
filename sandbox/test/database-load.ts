import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { expect } from "vitest";
import { z } from "zod";
import { aDatabase, eventually } from "./api-client.js";

const headers = { authorization: "Bearer sandbox_local", "content-type": "application/json" };
const answerSchema = z.object({
  data: z.object({
    id: z.string(),
    status: z.string(),
    connection_uri: z.string().optional(),
    pool_uri: z.string().optional(),
  }),
});

/** Rows of a database that PostgreSQL has said to be committed. */
interface Kept {
  readonly uris: readonly [direct: string, pool: string];
  readonly rows: Set<number>;
}

/** What is known of databases, and must never be lost. */
export class KnownDatabases {
  readonly live = new Map<string, Kept>();
  readonly deleted = new Set<string>();
  /** Made, and perhaps not ready yet. */
  readonly made = new Set<string>();
  /** A number that was never written before. */
  next = 1;
  /** How many rows were committed, also to databases that have been deleted since. */
  rows = 0;
}

async function call(baseUrl: string, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${baseUrl}/databases${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function withClient<R>(uri: string, body: (client: Client) => Promise<R>): Promise<R> {
  const client = new Client({ connectionString: uri });
  client.on("error", () => {});
  try {
    await client.connect();
    return await body(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Makes a database and waits until it is there. */
export async function makeDatabase(baseUrl: string, known: KnownDatabases): Promise<void> {
  const response = await call(baseUrl, "POST", "", { ...aDatabase, enable_connection_pool: true });
  const { id } = answerSchema.parse(await response.json()).data;
  known.made.add(id);
  for (;;) {
    const { data } = answerSchema.parse(await (await call(baseUrl, "GET", `/${id}`)).json());
    if (data.connection_uri !== undefined && data.pool_uri !== undefined && data.status === "ready") {
      known.live.set(id, { uris: [data.connection_uri, data.pool_uri], rows: new Set() });
      known.made.delete(id);
      return;
    }
    await delay(20);
  }
}

/** Writes rows to a database, now and then from a new connection, until that breaks. */
async function write({ uris, rows }: Kept, known: KnownDatabases): Promise<void> {
  for (let turn = 0; ; turn++) {
    await withClient(uris[turn % 2] ?? uris[0], async (client) => {
      await client.query("CREATE TABLE IF NOT EXISTS kept (n integer PRIMARY KEY)");
      for (let each = 0; each < 50; each++) {
        const n = known.next++;
        await client.query("INSERT INTO kept VALUES ($1)", [n]);
        rows.add(n);
        known.rows++;
      }
    });
  }
}

/** Resolves when so many rows have been committed. */
export async function committed(known: KnownDatabases, rows: number): Promise<void> {
  while (known.rows < rows) await delay(2);
}

/** Makes databases and deletes the oldest, until the sandbox is gone. */
async function turnOver(baseUrl: string, known: KnownDatabases): Promise<void> {
  for (;;) {
    await makeDatabase(baseUrl, known);
    const [oldest] = known.live.keys();
    if (known.live.size <= 3 || oldest === undefined) continue;
    // While it is being deleted, nothing is claimed about it.
    known.live.delete(oldest);
    if ((await call(baseUrl, "DELETE", `/${oldest}`)).ok) known.deleted.add(oldest);
  }
}

/** Load on databases; resolves when the sandbox and its server have gone. */
export async function loadDatabases(baseUrl: string, known: KnownDatabases): Promise<void> {
  const writers = [...known.live.values()].map((kept) => write(kept, known));
  await Promise.allSettled([...writers, turnOver(baseUrl, known)]);
}

/** Expects every known database at its address, with every row in it, and none that was deleted. */
export async function expectDatabases(baseUrl: string, known: KnownDatabases): Promise<void> {
  for (const [id, { uris, rows }] of known.live) {
    const answer = answerSchema.parse(await (await call(baseUrl, "GET", `/${id}`)).json());
    expect(answer.data).toMatchObject({ status: "ready", connection_uri: uris[0], pool_uri: uris[1] });
    if (rows.size === 0) continue;
    for (const uri of uris) {
      const found = await withClient(uri, (client) => client.query("SELECT n FROM kept"));
      const numbers = new Set(found.rows.map(({ n }) => Number(n)));
      expect([...rows].filter((n) => !numbers.has(n))).toEqual([]);
    }
  }
  for (const id of known.made) {
    const look = async () => answerSchema.parse(await (await call(baseUrl, "GET", `/${id}`)).json()).data;
    await eventually(look).toMatchObject({ status: "ready", connection_uri: expect.any(String) });
  }
  for (const id of known.deleted) {
    const look = async () => {
      const response = await call(baseUrl, "GET", `/${id}`);
      return { status: response.status, body: await response.json() };
    };
    // A deletion that failed because the server was killed is tried again after ten seconds.
    await expect.poll(look, { timeout: 60_000 }).toMatchObject({ status: 404 });
  }
}
