import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { launchWith, startCommand } from "../../../sandbox/test/command.js";
import { temporaryFolder } from "../../../sandbox/test/folder.js";
import { Acknowledged, expectAll, load } from "../../../sandbox/test/load.js";
import { type Cut, DiskModel, operationsIn } from "./disk-model.js";

const recorder = fileURLToPath(new URL("record-disk.mjs", import.meta.url));

/** The data folder lies in folders that are made for it. */
const INSIDE = join("made", "for it");

/**
 * Cuts the power of a sandbox again and again: kills it, takes away what it had not synced, and expects everything
 * acknowledged of the one that starts on the rest. PostgreSQL, whose own files nothing here can follow, is simulated.
 */
export async function cutRepeatedly(rounds: number, random: () => number) {
  const known = new Acknowledged();
  let root = await temporaryFolder();
  let operations = 0;
  for (let round = 1; round <= rounds; round++) {
    const model = await DiskModel.of(root);
    operations += await runUntilCut(root, model, known, random);
    // Nothing of what was not synced; the names but not the data; and by chance, with which it goes on.
    const cuts: Cut[] = [
      { data: () => 0, names: () => false },
      { data: () => 0, names: () => true },
      { data: random, names: () => random() < 0.5 },
    ];
    for (const how of cuts) {
      root = await temporaryFolder();
      await model.cut(root, how);
      const sandbox = await startCommand(...flagsFor(root));
      await expectAll(sandbox.baseUrl, known);
      sandbox.process.kill("SIGTERM");
      await sandbox.exited;
    }
  }
  return { acknowledged: known.count, operations };
}

function flagsFor(root: string): string[] {
  const data = join(root, INSIDE);
  // A journal so short that a snapshot is nearly always being written.
  return ["--port", "0", "--data", data, "--postgres", "simulated", "--compact-after", "1000"];
}

async function runUntilCut(
  root: string,
  model: DiskModel,
  known: Acknowledged,
  random: () => number,
): Promise<number> {
  const record = join(await temporaryFolder(), "record");
  const how = { nodeFlags: ["--import", recorder], env: { RECORD_DISK: record } };
  const { process: child, ready, exited } = launchWith(how, ...flagsFor(root));
  const { baseUrl, smtpPort } = await ready;
  const loading = load(baseUrl, smtpPort, known);
  await Promise.race([loading, known.reaches(known.count + 10 + random() * 60)]);
  await delay(random() * 10);
  child.kill("SIGKILL");
  await loading;
  await exited;
  const operations = operationsIn(await readFile(record, "utf8"));
  for (const each of operations) model.apply(each);
  return operations.length;
}
