// @module-tag slow

import { readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { aDatabase, eventually } from "../test/api-client.js";
import { buildCommand, killStarting, startCommand } from "../test/command.js";
import { temporaryFolder } from "../test/folder.js";
import { Acknowledged, expectAll, load } from "../test/load.js";
import { fixedPort } from "../test/port.js";
import { randomFrom } from "../test/random.js";

beforeAll(buildCommand, 120_000);

const databaseAnswer = z.object({
  data: z.object({ id: z.string(), status: z.string(), connection_uri: z.string() }),
});

const headers = { authorization: "Bearer sandbox_local", "content-type": "application/json" };

/** More of them with KILL_ROUNDS; the same ones again with KILL_SEED. */
const ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 100);
const SEED = Number(process.env["KILL_SEED"] ?? Date.now() % 1_000_000_000);
/** Sandboxes side by side, each with a folder of its own, because most of a round is waiting. */
const LANES = 4;

/** What the folder shows of a sandbox that died while it wrote a snapshot. */
async function diedInSnapshot(data: string): Promise<boolean> {
  return (await readdir(data)).some((name) => name.endsWith(".tmp"));
}

/** Kills one sandbox again and again; resolves with how many kills met which work. */
async function killRepeatedly(rounds: number, random: () => number) {
  const data = await temporaryFolder();
  const known = new Acknowledged();
  const met = { snapshot: 0, start: 0 };
  // A journal so short that a snapshot is nearly always being written.
  const flags = ["--port", "0", "--data", data, "--postgres", "simulated", "--compact-after", "1000"];
  for (let round = 1; round <= rounds; round++) {
    const { process: child, baseUrl, smtpPort, exited } = await startCommand(...flags);
    await expectAll(baseUrl, known);
    const loading = load(baseUrl, smtpPort, known);
    // So many answers, and a moment more: on a slow machine a time alone would find it idle.
    await Promise.race([loading, known.reaches(known.count + random() * 40)]);
    await delay(random() * 10);
    child.kill("SIGKILL");
    await loading;
    await exited;
    if (await diedInSnapshot(data)) met.snapshot++;
    if (round % 5 === 0 && (await killStarting(flags, random() * 800))) met.start++;
  }
  const last = await startCommand(...flags);
  await expectAll(last.baseUrl, known);
  last.process.kill("SIGKILL");
  await last.exited;
  return { ...met, acknowledged: known.count };
}

test(`nothing acknowledged is lost by kill -9 at ${ROUNDS} random moments under load (KILL_SEED=${SEED})`, {
  timeout: 60_000 + ROUNDS * 10_000,
}, async () => {
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    killRepeatedly(Math.ceil(ROUNDS / LANES), randomFrom(SEED + lane)),
  );
  const met = await Promise.all(lanes);
  const sum = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
  const answers = sum(met.map(({ acknowledged }) => acknowledged));
  const inSnapshot = sum(met.map(({ snapshot }) => snapshot));
  const inStart = sum(met.map(({ start }) => start));
  console.log(
    `KILL_SEED=${SEED}: ${ROUNDS} kills under load (${inSnapshot} in the middle of a snapshot) and ${inStart} at the start, ${answers} answers kept`,
  );
  expect(answers).toBeGreaterThan(ROUNDS);
  // Aimed at, and not claimed without having been hit; a few rounds can miss it.
  if (ROUNDS >= 100) expect(inSnapshot).toBeGreaterThan(0);
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
  const data = await temporaryFolder();
  // The address stays the same only with fixed ports, as the command has by default.
  const [postgres, pool] = [await fixedPort(), await fixedPort()];
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
