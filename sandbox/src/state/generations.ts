import { createReadStream } from "node:fs";
import { open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CorruptFileError, wholeLines } from "./journal-file.js";
import { type Line, parseLine } from "./line.js";

export function journalPath(folder: string, generation: number): string {
  return join(folder, `journal-${generation}.log`);
}

export function snapshotPath(folder: string, generation: number): string {
  return join(folder, `snapshot-${generation}.log`);
}

interface Generations {
  readonly journals: number[];
  readonly snapshots: number[];
}

export async function generationsIn(folder: string): Promise<Generations> {
  const names = await readdir(folder);
  const numbers = (pattern: RegExp) =>
    names
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  return { journals: numbers(/^journal-(\d+)\.log$/), snapshots: numbers(/^snapshot-(\d+)\.log$/) };
}

/**
 * Reads the newest snapshot and the journals since, and truncates a torn tail.
 * @throws CorruptFileError where a file is missing or damaged before its end.
 */
export async function readBack(
  folder: string,
  found: Generations,
  restore: (line: Line) => void,
): Promise<{ base: number; generation: number }> {
  const base = found.snapshots.at(-1) ?? 0;
  const journals = found.journals.filter((generation) => generation >= base);
  requireAll(folder, found, base, journals);
  if (found.snapshots.length > 0) await readSnapshot(snapshotPath(folder, base), restore);
  for (const generation of journals) await readJournal(folder, generation, journals, restore);
  return { base, generation: journals.at(-1) ?? base };
}

/** Restores a snapshot. A snapshot gets its name only when it is complete. */
async function readSnapshot(path: string, restore: (line: Line) => void): Promise<void> {
  let isWhole = false;
  for await (const { text } of wholeLines(createReadStream(path), path)) {
    const line = parseLine(text, path);
    restore(line);
    isWhole = line.end !== undefined;
  }
  if (!isWhole) throw new CorruptFileError(`${path} is damaged: its end is missing.`);
}

/**
 * Checks for missing journals. A journal is created before its snapshot and deleted only after a newer one exists, so
 * a missing journal means lost data.
 */
function requireAll(folder: string, found: Generations, base: number, journals: readonly number[]): void {
  const [first, last] = [journals[0], journals.at(-1)];
  if (found.snapshots.length === 0 && first === undefined) return;
  if (found.snapshots.length === 0 && first !== 0) throw missing(snapshotPath(folder, first ?? base));
  for (let generation = base; generation <= (last ?? base); generation++)
    if (!journals.includes(generation)) throw missing(journalPath(folder, generation));
}

function missing(path: string): CorruptFileError {
  return new CorruptFileError(`${path} is missing; restore it from a copy, or start with an empty folder.`);
}

async function readJournal(
  folder: string,
  generation: number,
  journals: readonly number[],
  restore: (line: Line) => void,
): Promise<void> {
  const path = journalPath(folder, generation);
  let group: Line[] = [];
  let wholeBytes = 0;
  for await (const { text, end } of wholeLines(createReadStream(path), path)) {
    const line = parseLine(text, path);
    group.push(line);
    if (line.more) continue;
    for (const each of group) restore(each);
    group = [];
    wholeBytes = end;
  }
  if (wholeBytes === (await stat(path)).size) return;
  // The next journal is created before this one is finished, but written to only afterwards.
  for (const later of journals.filter((each) => each > generation)) {
    if ((await stat(journalPath(folder, later))).size === 0) continue;
    throw new CorruptFileError(`${path} is damaged: its end is torn, and a newer journal has been written.`);
  }
  await cutAt(path, wholeBytes);
}

/** Deletes snapshots that an earlier process did not finish. */
export async function removeUnfinished(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names.filter((each) => /^snapshot-\d+\.log\.tmp$/.test(each)))
    await rm(join(folder, name), { force: true });
}

export async function removeOlder(folder: string, found: Generations, base: number): Promise<void> {
  for (const old of found.journals.filter((each) => each < base))
    await rm(journalPath(folder, old), { force: true });
  for (const old of found.snapshots.filter((each) => each < base))
    await rm(snapshotPath(folder, old), { force: true });
}

/** Synced, because otherwise a power cut could restore the torn tail after the next journal is written. */
async function cutAt(path: string, bytes: number): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.truncate(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
