import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { aDatabase, eventually } from "../test/caller.js";
import { buildCommand, startCommand } from "../test/command.js";

beforeAll(buildCommand, 120_000);

const databaseAnswer = z.object({
  data: z.object({ id: z.string(), status: z.string(), connection_uri: z.string() }),
});

const page = z.object({
  data: z.array(z.object({ id: z.string(), destination_url: z.string() })),
  meta: z.object({ next_cursor: z.string().nullable() }),
});
const headers = { authorization: "Bearer sandbox_local", "content-type": "application/json" };

/** More of them with KILL_ROUNDS. */
const ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 25);
const WRITERS = 8;

/** What was acknowledged: the target of each link that lives, and the ids of those that are deleted. */
interface Acknowledged {
  readonly live: Map<string, string>;
  readonly deleted: Set<string>;
}

/** Creates, changes and deletes until the connection breaks. */
async function write(baseUrl: string, known: Acknowledged, writer: number): Promise<void> {
  const send = (method: string, path: string, body?: object) =>
    fetch(`${baseUrl}/shortener/links${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
  for (let turn = 0; ; turn++) {
    const url = `https://example.com/${writer}/${turn}`;
    const created = Object(await (await send("POST", "", { url })).json());
    const id: string = created.data.id;
    known.live.set(id, url);
    // While a change is under way either value is right, so nothing is claimed about it.
    if (turn % 3 === 1) {
      known.live.delete(id);
      await (await send("PATCH", `/${id}`, { url: `${url}/changed` })).json();
      known.live.set(id, `${url}/changed`);
    } else if (turn % 3 === 2) {
      known.live.delete(id);
      await (await send("DELETE", `/${id}`)).json();
      known.deleted.add(id);
    }
  }
}

async function everything(baseUrl: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = cursor === "" ? "" : `&starting_after=${cursor}`;
    const { data, meta } = page.parse(
      await (await fetch(`${baseUrl}/shortener/links?limit=100${query}`, { headers })).json(),
    );
    for (const { id, destination_url } of data) found.set(id, destination_url);
    cursor = meta.next_cursor;
  }
  return found;
}

test(`nothing acknowledged is lost by ${ROUNDS} kills -9 under load`, { timeout: 280_000 }, async () => {
  const data = await mkdtemp(join(tmpdir(), "sandbox-kill-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const known: Acknowledged = { live: new Map(), deleted: new Set() };
  // A journal so short that a snapshot is nearly always being written.
  const flags = ["--port", "0", "--data", data, "--postgres", "simulated", "--compact-after", "20000"];
  for (let round = 0; round <= ROUNDS; round++) {
    const { process: child, baseUrl, exited } = await startCommand(...flags);
    const found = await everything(baseUrl);
    for (const [id, url] of known.live) expect(found.get(id)).toBe(url);
    for (const id of known.deleted) expect(found.has(id)).toBe(false);
    const writers = Array.from({ length: WRITERS }, (_, writer) =>
      write(baseUrl, known, writer).catch(() => {}),
    );
    await delay(Math.random() * 150);
    child.kill("SIGKILL");
    await exited;
    await Promise.all(writers);
  }
  expect(known.live.size).toBeGreaterThan(ROUNDS);
  expect((await readdir(data)).some((name) => name.startsWith("snapshot-"))).toBe(true);
});

async function asked(uri: string, question: string): Promise<unknown[]> {
  const client = new Client({ connectionString: uri });
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(question)).rows;
  } finally {
    await client.end();
  }
}

test("a database, its data and its address outlive kill -9, and no server is left behind", {
  timeout: 120_000,
}, async () => {
  const data = await mkdtemp(join(tmpdir(), "sandbox-kill-"));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  // The address is promised where the ports are the same, as the command's are unless told otherwise.
  const [postgres, pool] = [await freePort(), await freePort()];
  const ports = ["--port", "0", "--postgres-port", String(postgres), "--pool-port", String(pool)];
  const flags = [...ports, "--data", data, "--provisioning-ms", "0"];
  const first = await startCommand(...flags);
  const created = await fetch(`${first.baseUrl}/databases`, {
    method: "POST",
    headers,
    body: JSON.stringify(aDatabase),
  });
  const database = databaseAnswer.parse(await created.json()).data;
  await asked(database.connection_uri, "CREATE TABLE kept AS SELECT 7 AS n");
  first.process.kill("SIGKILL");
  await first.exited;
  const second = await startCommand(...flags);
  const again = await fetch(`${second.baseUrl}/databases/${database.id}`, { headers });
  expect(databaseAnswer.parse(await again.json()).data).toEqual(database);
  expect(await asked(database.connection_uri, "SELECT n FROM kept")).toEqual([{ n: 7 }]);
  second.process.kill("SIGKILL");
  await second.exited;
  const isGone = () =>
    asked(database.connection_uri, "SELECT 1").then(
      () => false,
      (error: unknown) => String(error).includes("ECONNREFUSED"),
    );
  await eventually(isGone).toBe(true);
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = Object(probe.address());
  await new Promise<void>((resolve) => probe.close(() => resolve()));
  return port;
}
