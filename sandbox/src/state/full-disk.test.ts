import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { apiClientFor, sandboxFor } from "../../test/api-client.js";
import { buildCommand, startCommand } from "../../test/command.js";
import { canMount, smallDisk } from "../../test/small-disk.js";
import { startSandbox } from "../sandbox.js";
import { Disk } from "./disk.js";
import type { Line } from "./line.js";
import type { Change } from "./store.js";

const removal = (id: string): Change => ({ table: "links", id });

/** Takes room, and gives it back. */
async function ballast(folder: string, kibibytes: number): Promise<() => Promise<void>> {
  const path = join(folder, "ballast");
  await writeFile(path, Buffer.alloc(kibibytes * 1024));
  return () => rm(path);
}

async function idsIn(path: string): Promise<Set<string>> {
  const lines: Line[] = [];
  const disk = await Disk.open(path, (line) => lines.push(line), { compactAfter: 1e9, report: () => {} });
  await disk.close();
  return new Set(lines.flatMap((line) => line.changes?.map(({ id }) => id) ?? []));
}

/** Appends until the disk is full; returns what was acknowledged. */
async function fill(disk: Disk, prefix: string): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let at = 0; ; at++) {
    // Of odd lengths, so that the end of the room falls in the middle of a line.
    const id = `${prefix}${at}-${"x".repeat(1_000 + at)}`;
    disk.append([removal(id)]);
    try {
      await disk.synced();
    } catch (error) {
      expect(error).toMatchObject({ code: "ENOSPC" });
      return acknowledged;
    }
    acknowledged.push(id);
  }
}

// Where no file system can be mounted, the disk cannot be filled.
describe.runIf(canMount)("a disk that is full", () => {
  beforeAll(buildCommand, 120_000);

  test("refuses the write in whose middle it became so, and takes it when there is room", async () => {
    const folder = await smallDisk(256);
    const makeRoom = await ballast(folder, 128);
    const disk = await Disk.open(folder, () => {}, { compactAfter: 1e9, report: () => {} });
    const first = await fill(disk, "a");
    await expect(disk.synced()).rejects.toMatchObject({ code: "ENOSPC" });
    await makeRoom();
    disk.append([removal("later")]);
    await disk.synced();
    await disk.close();
    const found = await idsIn(folder);
    expect([...first, "later"].filter((id) => !found.has(id))).toEqual([]);
  });

  test("loses nothing when the process ends before there is room", async () => {
    const folder = await smallDisk(256);
    const makeRoom = await ballast(folder, 64);
    const {
      process: child,
      baseUrl,
      exited,
    } = await startCommand(...["--port", "0", "--data", folder, "--postgres", "simulated"]);
    const headers = { authorization: "Bearer sandbox_local", "content-type": "application/json" };
    const create = (slug: string) =>
      fetch(`${baseUrl}/shortener/links`, {
        method: "POST",
        headers,
        body: JSON.stringify({ url: `https://example.com/${"x".repeat(1_500)}`, slug }),
      });
    const acknowledged: string[] = [];
    for (let at = 0; ; at++) {
      const response = await create(`slug-${at}`);
      if (response.status === 500) break;
      expect(response.status).toBe(201);
      acknowledged.push(`slug-${at}`);
    }
    child.kill("SIGKILL");
    await exited;
    await expect(startSandbox({ data: folder }), "where even the lock has no room").rejects.toMatchObject({
      code: "ENOSPC",
    });
    await makeRoom();
    const sandbox = await sandboxFor({ data: folder });
    const slugs = new Set(sandbox.resources().map(({ fields }) => fields["slug"]));
    expect(acknowledged.filter((slug) => !slugs.has(slug))).toEqual([]);
    const again = apiClientFor(sandbox);
    expect(await again("POST", "/shortener/links", { url: "https://example.com" })).toMatchObject({
      status: 201,
    });
  });

  test("in the middle of a compaction blocks no write, and the next compaction makes up for it", async () => {
    const folder = await smallDisk(512);
    const reports: unknown[] = [];
    const options = { compactAfter: 40_000, report: (error: unknown) => reports.push(error) };
    const disk = await Disk.open(folder, () => {}, options);
    const makeRoom = await ballast(folder, 384);
    const bulk = Array.from({ length: 200 }, (_, at) => removal(`bulk${at}-${"x".repeat(1_000)}`));
    const written: string[] = [];
    const append = async (count: number) => {
      for (let at = 0; at < count; at++) {
        written.push(`${written.length}`);
        disk.append([removal(written.at(-1) ?? "")]);
        await disk.synced();
      }
    };
    const compact = () =>
      disk.compactIfLong(
        () => [...bulk, ...written.map(removal)],
        () => ({ offset: 0 }),
      );
    disk.append([removal("y".repeat(50_000))]);
    await disk.synced();
    compact();
    await expect.poll(() => reports).toMatchObject([{ code: "ENOSPC" }]);
    expect((await readdir(folder)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
    await append(20);
    compact();
    expect(reports, "not tried again at once").toHaveLength(1);
    await makeRoom();
    disk.append([removal("z".repeat(50_000))]);
    await disk.synced();
    compact();
    await append(5);
    await disk.close();
    expect(reports).toHaveLength(1);
    expect((await readdir(folder)).sort()).toEqual(["journal-2.log", "snapshot-2.log"]);
    const found = await idsIn(folder);
    expect(written.filter((id) => !found.has(id))).toEqual([]);
  });

  test("keeps what stood in the journals when the sandbox ends after a failed compaction", async () => {
    const folder = await smallDisk(512);
    const reports: unknown[] = [];
    const options = { compactAfter: 1, report: (error: unknown) => reports.push(error) };
    const disk = await Disk.open(folder, () => {}, options);
    disk.append([removal("before")]);
    await disk.synced();
    disk.compactIfLong(
      () => Array.from({ length: 600 }, (_, at) => removal(`bulk${at}-${"x".repeat(1_000)}`)),
      () => ({ offset: 0 }),
    );
    disk.append([removal("meanwhile")]);
    await disk.synced();
    await expect.poll(() => reports).toMatchObject([{ code: "ENOSPC" }]);
    disk.append([removal("after")]);
    await disk.synced();
    await disk.close();
    expect([...(await idsIn(folder))]).toEqual(["before", "meanwhile", "after"]);
  });
});
