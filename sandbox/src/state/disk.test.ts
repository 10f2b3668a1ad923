import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/folder.js";
import { Disk } from "./disk.js";
import { sealLine, wholeLines } from "./journal-file.js";
import type { Line } from "./line.js";
import { FolderInUseError, lockFolder } from "./lock.js";
import type { Change } from "./store.js";

/** Unexpected here: a report fails the test. */
const report = (error: unknown): never => {
  throw error;
};

/** So long that no journal gives way. */
const LONG = { compactAfter: 1e9, report };

const removal = (id: string): Change => ({ table: "links", id });

async function idsIn(path: string): Promise<string[]> {
  const lines: Line[] = [];
  const disk = await Disk.open(path, (line) => lines.push(line), LONG);
  await disk.close();
  return lines.flatMap((line) => line.changes?.map(({ id }) => id) ?? []);
}

test("what was synced is there again, in order", async () => {
  const path = await temporaryFolder();
  const disk = await Disk.open(path, () => {}, LONG);
  disk.append([removal("1"), removal("2")]);
  await disk.synced();
  disk.append([removal("3")]);
  await Promise.all([disk.synced(), disk.synced()]);
  await disk.close();
  expect(await idsIn(path)).toEqual(["1", "2", "3"]);
});

test("a torn tail is cut off, wherever it was torn, and writing goes on behind the last whole line", async () => {
  const path = await temporaryFolder();
  const disk = await Disk.open(path, () => {}, LONG);
  for (const id of ["1", "2"]) {
    disk.append([removal(id)]);
    await disk.synced();
  }
  await disk.close();
  const journal = join(path, "journal-0.log");
  const whole = await readFile(journal);
  const first = whole.indexOf(0x0a) + 1;
  for (const length of [whole.length - 1, whole.length - 5, first + 9, first + 1]) {
    await writeFile(journal, whole.subarray(0, length));
    expect(await idsIn(path)).toEqual(["1"]);
  }
  const again = await Disk.open(path, () => {}, LONG);
  again.append([removal("3")]);
  await again.synced();
  await again.close();
  expect(await idsIn(path)).toEqual(["1", "3"]);
});

test("damage before the end is never skipped", async () => {
  const path = await temporaryFolder();
  const journal = join(path, "journal-0.log");
  await writeFile(
    journal,
    sealLine('{"changes":[]}') + sealLine('{"changes":[]}').replace("c", "x") + sealLine("{}"),
  );
  await expect(Disk.open(path, () => {}, LONG)).rejects.toThrow(/journal-0.log is damaged at byte 24/);
});

test("a line is whole only with its checksum and its newline, in whatever pieces it is read", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.json()), fc.nat(), fc.integer({ min: 1 }), async (texts, cut, size) => {
      const bytes = Buffer.from(texts.map(sealLine).join(""));
      const whole = bytes.subarray(0, Math.min(cut, bytes.length));
      const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
        whole.subarray(at * size, (at + 1) * size),
      );
      const kept: string[] = [];
      for await (const { text } of wholeLines(pieces, "x")) kept.push(text);
      expect(texts.slice(0, kept.length)).toEqual(kept);
      const ends = texts.map(
        (_, at) =>
          Buffer.from(
            texts
              .slice(0, at + 1)
              .map(sealLine)
              .join(""),
          ).length,
      );
      expect(kept).toHaveLength(ends.filter((end) => end <= whole.length).length);
    }),
  );
});

test("a long journal gives way to a snapshot, and what is written meanwhile is kept", async () => {
  const path = await temporaryFolder();
  const disk = await Disk.open(path, () => {}, { compactAfter: 1, report });
  const state: Change[] = [];
  const append = async (id: string) => {
    state.push(removal(id));
    disk.append([removal(id)]);
    await disk.synced();
  };
  await append("old");
  disk.compactIfLong(
    () => [removal("only in the snapshot"), ...state],
    () => ({ offset: 7 }),
  );
  for (const id of ["a", "b", "c"]) await append(id);
  await disk.close();
  expect((await readdir(path)).sort()).toEqual(["journal-1.log", "snapshot-1.log"]);
  const found = await idsIn(path);
  expect(found[0]).toBe("only in the snapshot");
  expect([...new Set(found)]).toEqual(["only in the snapshot", "old", "a", "b", "c"]);
});

test("a crash between two journals loses nothing", async () => {
  const path = await temporaryFolder();
  await writeFile(join(path, "journal-0.log"), sealLine('{"changes":[{"table":"links","id":"1"}]}'));
  await appendFile(join(path, "journal-0.log"), "torn");
  await writeFile(join(path, "journal-1.log"), "");
  await writeFile(join(path, "snapshot-1.log.tmp"), "half");
  expect(await idsIn(path)).toEqual(["1"]);
  expect((await readdir(path)).sort()).toEqual(["journal-0.log", "journal-1.log"]);
  await truncate(join(path, "journal-0.log"), 12);
  await writeFile(join(path, "journal-1.log"), sealLine("{}"));
  await expect(Disk.open(path, () => {}, LONG)).rejects.toThrow(/a newer journal has been written/);
});

test.each([
  { has: ["journal-5.log"], misses: "snapshot-5.log" },
  { has: ["snapshot-5.log", "journal-6.log"], misses: "journal-5.log" },
  { has: ["snapshot-5.log"], misses: "journal-5.log" },
  { has: ["journal-0.log", "journal-2.log"], misses: "journal-1.log" },
  { has: ["snapshot-4.log", "journal-4.log", "journal-5.log", "journal-7.log"], misses: "journal-6.log" },
])("where $misses is missing beside $has, nothing is taken for empty", async ({ has, misses }) => {
  const path = await temporaryFolder();
  for (const name of has)
    await writeFile(join(path, name), name.startsWith("snapshot") ? sealLine('{"end":0}') : "");
  await expect(Disk.open(path, () => {}, LONG)).rejects.toThrow(new RegExp(`${misses} is missing`));
  expect((await readdir(path)).sort()).toEqual([...has].sort());
});

test("two processes never share a folder", async () => {
  const path = await temporaryFolder();
  const release = await lockFolder(path);
  await expect(lockFolder(path)).rejects.toThrow(FolderInUseError);
  await release();
  await (await lockFolder(path))();
  expect(await readdir(path)).toEqual([]);
});

test("the lock of an ended process is taken over", async () => {
  const path = await temporaryFolder();
  await writeFile(join(path, "lock"), JSON.stringify({ pid: 2 ** 22 + 1, started: "1" }));
  await (await lockFolder(path))();
  // The id lives, but it is another process by now.
  await writeFile(join(path, "lock"), JSON.stringify({ pid: process.pid, started: "1" }));
  await (await lockFolder(path))();
});

// Only Linux shows the state of a process in a file.
test.runIf(process.platform === "linux")(
  "the lock of a killed process is taken over before its parent has noticed its end",
  async () => {
    const path = await temporaryFolder();
    // What the shell becomes never asks how the shell's child ended.
    const parent = spawn("sh", ["-c", "sleep 1 & echo $!; exec sleep 600"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const [output] = await once(parent.stdout, "data");
    const pid = Number(String(output));
    await expect.poll(() => readFile(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
    await writeFile(join(path, "lock"), JSON.stringify({ pid, started: "" }));
    await (await lockFolder(path))();
  },
);
