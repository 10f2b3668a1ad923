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

/** Rows that PostgreSQL has committed to a database. */
interface Kept {
  readonly uris: readonly [direct: string, pool: string];
  readonly rows: Set<number>;
}

/** State of databases that must never be lost. */
export class KnownDatabases {
  readonly live = new Map<string, Kept>();
  readonly deleted = new Set<string>();
  /** Created, but perhaps not ready. */
  readonly made = new Set<string>();
  /** The next unused number. */
  next = 1;
  /** How many rows were committed, including those of deleted databases. */
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

/** Creates a database and waits until it is ready. */
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

/** Writes rows to a database, sometimes from a new connection, until that fails. */
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

/** Resolves when this many rows have been committed. */
export async function committed(known: KnownDatabases, rows: number): Promise<void> {
  while (known.rows < rows) await delay(2);
}

/** Creates databases and deletes the oldest until the sandbox has stopped. */
async function turnOver(baseUrl: string, known: KnownDatabases): Promise<void> {
  for (;;) {
    await makeDatabase(baseUrl, known);
    const [oldest] = known.live.keys();
    if (known.live.size <= 3 || oldest === undefined) continue;
    // During the deletion, either state is correct.
    known.live.delete(oldest);
    if ((await call(baseUrl, "DELETE", `/${oldest}`)).ok) known.deleted.add(oldest);
  }
}

/** Puts load on databases; resolves when the sandbox and its server have stopped. */
export async function loadDatabases(baseUrl: string, known: KnownDatabases): Promise<void> {
  const writers = [...known.live.values()].map((kept) => write(kept, known));
  await Promise.allSettled([...writers, turnOver(baseUrl, known)]);
}

/** Expects every known database at its address with every row, and no deleted one. */
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
    // A deletion that failed because the server was killed is retried after ten seconds.
    await expect.poll(look, { timeout: 60_000 }).toMatchObject({ status: 404 });
  }
}
