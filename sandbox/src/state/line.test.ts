import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/folder.js";
import { startSandbox } from "../sandbox.js";
import { Disk } from "./disk.js";
import { CorruptFileError, sealLine } from "./journal-file.js";
import { type Line, NewerDataError, packLines, serializeChange } from "./line.js";
import { FORMAT, rowShapes } from "./rows.js";

const options = { compactAfter: 1e9, report: () => {} };

async function idsIn(folder: string): Promise<string[]> {
  const lines: Line[] = [];
  const disk = await Disk.open(folder, (line) => lines.push(line), options);
  await disk.close();
  return lines.flatMap((line) => line.changes?.map(({ id }) => id) ?? []);
}

const textsOf = (ids: readonly string[]) => ids.map((id) => serializeChange({ table: "links", id }));

test("large changes are split into lines that hardly exceed the limit", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 400 })), async (ids) => {
      const lines = [...packLines(textsOf(ids), { isGroup: true }, 300)];
      for (const line of lines) expect(line.length).toBeLessThan(3_500);
      const folder = await temporaryFolder();
      await writeFile(join(folder, "journal-0.log"), lines.join(""));
      expect(await idsIn(folder)).toEqual(ids);
    }),
    { numRuns: 30 },
  );
});

test("a group of lines whose end is torn counts as not written, and is cut off", async () => {
  const folder = await temporaryFolder();
  const kept = [...packLines(textsOf(["kept"]), { isGroup: true })];
  const torn = [...packLines(textsOf(["a", "b", "c"]), { isGroup: true }, 1)];
  expect(torn).toHaveLength(3);
  for (const length of [1, 2]) {
    await writeFile(join(folder, "journal-0.log"), [...kept, ...torn.slice(0, length)].join(""));
    expect(await idsIn(folder)).toEqual(["kept"]);
  }
});

test("more mails than one string can hold are packed all the same", () => {
  // 56 times 10 MiB is above the longest string, 512 MiB.
  const text = serializeChange({ table: "messages", id: "x".repeat(10 * 1024 * 1024) });
  let lines = 0;
  for (const line of packLines(Array<string>(56).fill(text), { isGroup: true })) {
    lines++;
    expect(line.length).toBeLessThan(11 * 1024 * 1024);
  }
  expect(lines).toBe(56);
});

test("data of a newer format is refused, and so is a row with members that are not known", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "journal-0.log");
  await writeFile(path, sealLine(JSON.stringify({ format: FORMAT + 1, novelty: [] })));
  const refused = startSandbox({ data: folder });
  await expect(refused).rejects.toThrow(NewerDataError);
  await expect(refused).rejects.toThrow(
    new RegExp(`journal-0.log was written by a newer sandbox: its data format is ${FORMAT + 1}`),
  );
  const row = { id: "1", tenant: "a", seq: 1, name: "n", type: "A", data: "d", ttl: 1 };
  const lineOf = (members: object) =>
    sealLine(JSON.stringify({ changes: [{ table: "records", id: "1", row: { ...row, ...members } }] }));
  await writeFile(path, lineOf({ novelty: 1 }));
  await expect(startSandbox({ data: folder })).rejects.toThrow(CorruptFileError);
  await writeFile(path, lineOf({}));
  await (await startSandbox({ data: folder })).close();
});

test("a change of a row's shape raises the format", () => {
  const shape = createHash("sha256").update(JSON.stringify(rowShapes())).digest("hex").slice(0, 16);
  // Rows of another shape: raise FORMAT in rows.ts, and write the new shape here.
  expect({ format: FORMAT, shape }).toEqual({ format: 2, shape: "9b04f52d44eb54f2" });
});
