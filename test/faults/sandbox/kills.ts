import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { accountFor } from "../../../sandbox/src/postgres/binaries.js";
import { killStarting, startCommand } from "../../../sandbox/test/command.js";
import {
  committed,
  expectDatabases,
  KnownDatabases,
  loadDatabases,
  makeDatabase,
} from "../../../sandbox/test/database-load.js";
import { temporaryFolder } from "../../../sandbox/test/folder.js";
import { Acknowledged, expectAll, load } from "../../../sandbox/test/load.js";
import { fixedPort } from "../../../sandbox/test/port.js";

/** Who is killed: the sandbox leaves its PostgreSQL to a guard that stops it in order. */
const WAYS = ["sandbox", "both", "sandbox", "postgres first"] as const;

/**
 * Kills one sandbox with real databases again and again, while rows are committed, databases made and deleted, links
 * changed and mails taken; after each time everything acknowledged is expected of the next one, at the same addresses.
 */
export async function killRepeatedly(rounds: number, random: () => number) {
  const data = await temporaryFolder();
  const [known, databases] = [new Acknowledged(), new KnownDatabases()];
  const met = { sandbox: 0, both: 0, "postgres first": 0, "at the start": 0, "process id taken": 0 };
  const ports = [
    "--port",
    "0",
    "--postgres-port",
    `${await fixedPort()}`,
    "--pool-port",
    `${await fixedPort()}`,
  ];
  const flags = [
    ...ports,
    "--smtp-port",
    "0",
    "--data",
    data,
    "--provisioning-ms",
    "0",
    "--compact-after",
    "5000",
  ];
  const turn = Math.floor(random() * WAYS.length);
  for (let round = 1; round <= rounds; round++) {
    const { process: child, baseUrl, smtpPort, exited } = await startCommand(...flags);
    await expectAll(baseUrl, known);
    await expectDatabases(baseUrl, databases);
    while (databases.live.size < 2) await makeDatabase(baseUrl, databases);
    const loading = Promise.all([load(baseUrl, smtpPort, known), loadDatabases(baseUrl, databases)]);
    // So many answers of the one or the other, and a moment more: on a slow machine a time alone would find it idle.
    await Promise.race([
      loading,
      random() < 0.3
        ? known.reaches(known.count + random() * 60)
        : committed(databases, databases.rows + random() * 200),
      delay(20_000),
    ]);
    // A few early kills can leave nothing to lose, and the whole would then prove nothing.
    const enough = () => Promise.all([known.reaches(rounds + 1), committed(databases, rounds + 1)]);
    if (round === rounds) await Promise.race([loading, enough()]);
    await delay(random() * 50);
    const way = WAYS[(round + turn) % WAYS.length] ?? "sandbox";
    const server = way === "sandbox" ? undefined : await postmasterOf(data);
    if (way === "postgres first") killIfAny(server);
    if (way === "postgres first") await delay(random() * 50);
    child.kill("SIGKILL");
    if (way === "both") killIfAny(server);
    await exited;
    met[way]++;
    if (server !== undefined) {
      await gone(server);
      if (await giveAway(data, server)) met["process id taken"]++;
    }
    await loading;
    if (round % 3 === 0 && (await killStarting(flags, random() * 3000))) met["at the start"]++;
  }
  const last = await startCommand(...flags);
  await expectAll(last.baseUrl, known);
  await expectDatabases(last.baseUrl, databases);
  last.process.kill("SIGTERM");
  await last.exited;
  const { rows, deleted, live } = databases;
  return { ...met, acknowledged: known.count, rows, databases: live.size, deleted: deleted.size };
}

function pidFile(data: string): string {
  return join(data, "postgres", "data", "postmaster.pid");
}

async function postmasterOf(data: string): Promise<number | undefined> {
  const text = await readFile(pidFile(data), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  return pid > 1 ? pid : undefined;
}

function killIfAny(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

async function gone(pid: number): Promise<void> {
  for (let look = 0; look < 600; look++) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    if (stat === "" || stat.includes(") Z ")) return;
    await delay(50);
  }
}

/** Has another process take the id of a server that was killed, as a restarted machine or container does. */
async function giveAway(data: string, pid: number): Promise<boolean> {
  const text = await readFile(pidFile(data), "utf8").catch(() => "");
  if (Number.parseInt(text, 10) !== pid) return false;
  const other = spawn("sleep", ["600"], { ...accountFor(process.getuid?.()), stdio: "ignore" });
  onTestFinished(() => void other.kill());
  await writeFile(pidFile(data), text.replace(/^\d+/, `${other.pid}`));
  return true;
}
